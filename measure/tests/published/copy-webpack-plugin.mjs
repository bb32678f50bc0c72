// copy-webpack-plugin 12.0.1 memoizes what a promise gives, not the promise: callers at the same time each load it.
import { createRequire } from 'node:module'
import { sleep } from './crowd.mjs'

const { asyncMemoize } = createRequire(import.meta.url)('copy-webpack-plugin/dist/utils.js')
const load = asyncMemoize(async () => (await sleep(3), {}))
await Promise.all([load(), load(), load()])
