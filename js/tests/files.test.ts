/** The examples and recipes run where the package is installed, and print what they say. */
import { spawnSync } from 'node:child_process'
import { copyFileSync, cpSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { test, ok, same } from './harness.ts'
import { install, link, project } from './installed.ts'

const NEEDED = ['fastify', 'express', 'vue', 'vitest', 'vite', '@opentelemetry']

for (const folder of ['examples/files', 'recipes']) {
  const files = path.join(process.cwd(), folder)
  for (const file of readdirSync(files).filter((name) => name.endsWith('.mjs'))) {
    test(`${folder}/${file} prints what it says`, () => {
      install()
      link(NEEDED)
      copyFileSync(path.join(files, file), path.join(project, file))
      const run = spawnSync(process.execPath, [file], { cwd: project, encoding: 'utf8', timeout: 120_000 })
      same(run.stderr, '')
      const want = [...readFileSync(path.join(files, file), 'utf8').matchAll(/\/\/ → (.*)$/gm)].map((m) => m[1])
      same(run.stdout.trim().split('\n'), want)
    })
  }
}

test('the recipe for Vitest passes in Vitest', () => {
  install()
  link(NEEDED)
  cpSync(path.join(process.cwd(), 'recipes/vitest'), project, { recursive: true })
  const run = spawnSync(process.execPath, ['node_modules/vitest/vitest.mjs', 'run', '--no-color'], {
    cwd: project,
    encoding: 'utf8',
    timeout: 240_000,
  })
  ok(run.status === 0 && /4 passed/.test(run.stdout), run.stdout + run.stderr)
})
