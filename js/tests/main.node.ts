/**
 * The suites in Node, of the source and of the package as it is installed. They share no file, so that they can run
 * side by side; `hosts` is a part of `source`. Usage: node node.mjs [FILTER [SUITE]]; without SUITE all tests run.
 */
import { runTests } from './harness.ts'

const suites: Record<string, () => Promise<unknown>> = {
  package: () => import('./package.ts'),
  source: () => import('./source.ts'),
  hosts: () => import('./hosts.ts'),
}
const [filter = '', suite] = process.argv.slice(2)
for (const [name, load] of Object.entries(suites)) if (suite === undefined || suite === name) await load()
const { passed, failed } = await runTests(filter)
console.log(`${passed} passed, ${failed} failed`)
process.exit(failed === 0 && passed > 0 ? 0 : 1)
