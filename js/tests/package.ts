/** The suite `package`: tests of the package as it is built and installed; most of them run programs in one project. */
import './node.test.ts'
import './files.test.ts'
import './copies.node.test.ts'
import './published.node.test.ts'
import './mistakes.node.test.ts'
import './exit.node.test.ts'
