/** The suite `source` in Node: tests of src/, and of the pages and comments that show it. */
import './hosts.ts'
import './bugs.test.ts'
import './examples.test.ts'
import './docs.test.ts'
import './all.ts'
