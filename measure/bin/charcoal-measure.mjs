#!/usr/bin/env node
// The command. In a checkout it builds dist/ when a source is newer.
import { existsSync, readdirSync, statSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const measure = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..')
const dist = path.join(measure, 'dist/cli.mjs')
if (Number(process.versions.node.split('.')[0]) < 20) {
  console.error(`charcoal-measure: needs Node.js 20 or later, this is ${process.version}`)
  process.exit(2)
}
if (existsSync(path.join(measure, 'src')) && stale()) {
  const { buildAll } = await import('../scripts/build.mjs')
  await buildAll()
}
const { main } = await import('../dist/cli.mjs')
process.exitCode = await main(process.argv.slice(2))

function stale() {
  if (!existsSync(dist)) return true
  const built = statSync(dist).mtimeMs
  return readdirSync(path.join(measure, 'src'), { recursive: true }).some(
    (file) => statSync(path.join(measure, 'src', file)).mtimeMs > built,
  )
}
