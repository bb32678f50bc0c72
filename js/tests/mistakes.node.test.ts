/** Mistakes have a sentence in Node and in development, and a number in production, explained in the documentation. */
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { diagnosis } from '../src/core/say.ts'
import { same, test } from './harness.ts'
import { install, project, run } from './installed.ts'

test('docs/errors.md explains every number, in order', () => {
  const rows = [...readFileSync('docs/errors.md', 'utf8').matchAll(/^\| (\d+) \|/gm)].map((row) => row[1])
  same(rows, Object.keys(diagnosis!.texts))
})

test('a bundle for browsers shows numbers, and one for development sentences', async () => {
  install()
  const { build } = await import('esbuild')
  const program = `import { asyncFn, channel } from 'charcoal-js'
    for (const f of [() => asyncFn(5), () => channel('x'.repeat(3))]) try { f() } catch (e) { console.log(e.message) }`
  const shows = async (conditions: string[]): Promise<string[]> => {
    const { outputFiles } = await build({
      stdin: { contents: program, resolveDir: project },
      bundle: true,
      format: 'esm',
      write: false,
      platform: 'browser',
      conditions,
    })
    const file = path.join(project, 'mistakes.mjs')
    writeFileSync(file, outputFiles[0].text)
    return run(process.execPath, [file]).trim().split('\n')
  }
  const sentences = [
    'asyncFn takes a function, not 5',
    'channel takes a whole number from 0 on, or Infinity, not "xxx"',
  ]
  const numbers = [
    'charcoal-js error 1 (asyncFn, 5): see docs/errors.md',
    'charcoal-js error 3 (channel, xxx, 0): see docs/errors.md',
  ]
  same([await shows([]), await shows(['development'])], [numbers, sentences])
  writeFileSync(path.join(project, 'mistakes.mjs'), program)
  same(run(process.execPath, [path.join(project, 'mistakes.mjs')]).trim().split('\n'), sentences)
})
