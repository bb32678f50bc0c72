/** The suite in Node: the tests of all.ts, and those that need Node. */
import './node.test.ts'
import './stacks.test.ts'
import './examples.test.ts'
import './docs.test.ts'
import './files.test.ts'
import './bugs.test.ts'
import './context.node.test.ts'
import './inspect.node.test.ts'
import './imports.node.test.ts'
import './copies.node.test.ts'
import './published.node.test.ts'
import './mistakes.node.test.ts'
import './exit.node.test.ts'
import { runTests } from './all.ts'
const { passed, failed } = await runTests(process.argv[2] ?? '')
console.log(`${passed} passed, ${failed} failed`)
process.exit(failed === 0 && passed > 0 ? 0 : 1)
