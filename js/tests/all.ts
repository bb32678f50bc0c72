import './laws.test.ts'
export { runTests } from './harness.ts'
