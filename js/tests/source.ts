/** The suite `source` in Node: tests of src/, and of the pages and comments that show it. */
import './stacks.test.ts'
import './bugs.test.ts'
import './context.node.test.ts'
import './inspect.node.test.ts'
import './imports.node.test.ts'
import './examples.test.ts'
import './docs.test.ts'
import './all.ts'
