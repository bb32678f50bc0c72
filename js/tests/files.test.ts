/** The examples and recipes run where the package is installed, and print what they say. */
import { spawnSync } from 'node:child_process'
import { copyFileSync, cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { chromium } from '../scripts/chromium.mjs'
import { test, ok, same } from './harness.ts'
import { install, link, project } from './installed.ts'

const NEEDED = ['fastify', 'express', 'vue', '@opentelemetry']

for (const folder of ['examples/files', 'recipes']) {
  const files = path.join(process.cwd(), folder)
  for (const file of readdirSync(files).filter((name) => name.endsWith('.mjs'))) {
    test(`${folder}/${file} prints what it says`, () => {
      install()
      link(NEEDED)
      copyFileSync(path.join(files, file), path.join(project, file))
      const run = spawnSync(process.execPath, [file], { cwd: project, encoding: 'utf8', timeout: 600_000 })
      same(run.stderr, '')
      const want = [...readFileSync(path.join(files, file), 'utf8').matchAll(/\/\/ → (.*)$/gm)].map((m) => m[1])
      same(run.stdout.trim().split('\n'), want)
    })
  }
}

/** Runs a recipe's folder in the framework that it is for; `command` says how. */
function inFramework(name: string, folder: string, command: string[], passed: RegExp, modules: string[]): void {
  test(`the recipe for ${name} passes in ${name}`, () => {
    install()
    link(modules)
    const root = path.join(project, folder)
    cpSync(path.join(process.cwd(), 'recipes', folder), root, { recursive: true })
    if (folder === 'playwright') writeFileSync(path.join(root, 'playwright.config.mjs'), PLAYWRIGHT)
    const [script, ...args] = command
    const run = spawnSync(process.execPath, [path.join('node_modules', script), ...args], {
      cwd: project,
      encoding: 'utf8',
      env: { ...process.env, NO_COLOR: '1', CI: '1' },
      timeout: 600_000,
    })
    ok(run.status === 0 && passed.test(run.stdout + run.stderr), run.stdout + run.stderr)
  })
}

/** The tests have no browser of Playwright's own. */
const PLAYWRIGHT = `export default {
  timeout: 120_000,
  expect: { timeout: 60_000 },
  use: { launchOptions: { executablePath: ${JSON.stringify(chromium)}, args: ['--no-sandbox'] } },
}
`

inFramework('Vitest', 'vitest', ['vitest/vitest.mjs', 'run', '--root', 'vitest'], /4 passed/, ['vitest', 'vite'])
inFramework('Jest', 'jest', ['jest/bin/jest.js', '-c', 'jest/jest.config.cjs'], /4 passed/, [
  'jest',
  'babel-jest',
  'unplugin',
  'magic-string',
  '@babel',
  '@jridgewell',
])
inFramework('Playwright', 'playwright', ['@playwright/test/cli.js', 'test', '-c', 'playwright'], /2 passed/, [
  '@playwright/test',
])

test('the recipe for Babel keeps an atomic block, and lines lead back', () => {
  install()
  link(['@babel', '@jridgewell', 'magic-string', 'unplugin'])
  cpSync(path.join(process.cwd(), 'recipes/babel'), path.join(project, 'babel'), { recursive: true })
  const program = `const { transformFileSync } = require('@babel/core')
const { code, map } = transformFileSync('babel/votes.mjs', { plugins: ['./babel/charcoal.cjs'], sourceMaps: true })
require('node:fs').writeFileSync('babel/out.mjs', code)
const { TraceMap, originalPositionFor } = require('@jridgewell/trace-mapping')
const line = code.split('\\n').findIndex((text) => text.includes('before + 1')) + 1
console.log(originalPositionFor(new TraceMap(map), { line, column: 99, bias: 1 }).line)
import('./babel/out.mjs')`
  const run = spawnSync(process.execPath, ['-e', program], { cwd: project, encoding: 'utf8', timeout: 600_000 })
  same([run.stdout, run.stderr], ['9\n3\n', ''])
})

test('the guide shows what recipes for Jest and Babel need as it stands among the recipes', () => {
  const guide = readFileSync('docs/guide.md', 'utf8')
  for (const folder of ['jest', 'babel']) ok(guide.includes(readFileSync(`recipes/${folder}/charcoal.cjs`, 'utf8')))
})
