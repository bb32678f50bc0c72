/** The suite in a browser: the tests of all.ts, and those that need a page. */
import './react.test.ts'
import { runTests } from './all.ts'
const filter = new URLSearchParams(location.search).get('filter') ?? ''
const begins = (name: string): void => console.debug(`begins: ${name}`)
const { passed, failed } = await runTests(filter, console.log, begins)
console.log(`${passed} passed, ${failed} failed`)
