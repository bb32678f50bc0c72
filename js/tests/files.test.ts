/** The single-file examples run with `node file.mjs` where the package is installed, and print what they say. */
import { spawnSync } from 'node:child_process'
import { copyFileSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { test, same } from './harness.ts'
import { install, project } from './installed.ts'

const dir = path.join(process.cwd(), 'examples/files')
for (const file of readdirSync(dir)) {
  test(`the example ${file} runs`, () => {
    install()
    copyFileSync(path.join(dir, file), path.join(project, file))
    const run = spawnSync(process.execPath, [file], { cwd: project, encoding: 'utf8', timeout: 60_000 })
    same(run.stderr, '')
    const want = [...readFileSync(path.join(dir, file), 'utf8').matchAll(/\/\/ → (.*)$/gm)].map((m) => m[1])
    same(run.stdout.trim().split('\n'), want)
  })
}
