/** The suite in a browser: the tests of all.ts, and those that need a page. */
import './react.test.ts'
import { runTests } from './all.ts'
const { passed, failed } = await runTests(new URLSearchParams(location.search).get('filter') ?? '')
console.log(`${passed} passed, ${failed} failed`)
