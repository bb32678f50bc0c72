/**
 * The suite `hosts`: what Node itself does in another way in each version (contexts, stacks, events, signals,
 * `Symbol.asyncDispose`, rejections). These tests also run in the versions of scripts/hosts.
 */
import './stores.node.test.ts'
import './context.node.test.ts'
import './inspect.node.test.ts'
import './imports.node.test.ts'
import './stacks.test.ts'
import './legacy.test.ts'
import './signal.test.ts'
import './dispose.test.ts'
import './life.test.ts'
