import './react.test.ts'
import { runTests } from './all.ts'
const { passed, failed } = await runTests(new URLSearchParams(location.search).get('filter') ?? '')
console.log(`${passed} passed, ${failed} failed`)
