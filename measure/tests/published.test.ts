/** Races that were published of packages from npm are found in those packages; part of `./soak` only. */
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, symlinkSync } from 'node:fs'
import path from 'node:path'
import { analyse } from '../src/analysis/index.ts'
import { conflicts, conflictText } from '../src/analysis/conflicts.ts'
import { recordNode } from '../src/record/node/index.ts'
import { ok, same, soak, test } from './harness.ts'
import { measure, temporary } from './places.ts'
import { published } from './published.ts'

const programs = path.join(measure, 'tests/published')

/** The packages, from their registry; kept for the next time. */
function installed(): string {
  const dir = path.join(process.env.CHARCOAL_BUILD!, 'measure/published')
  mkdirSync(dir, { recursive: true })
  cpSync(path.join(programs, 'package.json'), path.join(dir, 'package.json'))
  const args = ['install', '--no-audit', '--no-fund', '--legacy-peer-deps', '--ignore-scripts', '--prefer-offline']
  const { status, stderr } = spawnSync('npm', args, { cwd: dir, encoding: 'utf8' })
  ok(status === 0, stderr)
  return path.join(dir, 'node_modules')
}

/** The texts of the cards, the first first. */
async function cards(name: string, own: string[], modules: string): Promise<string[]> {
  const dir = temporary()
  const out = path.join(dir, 'trace.jsonl')
  cpSync(programs, dir, { recursive: true })
  symlinkSync(modules, path.join(dir, 'node_modules'))
  await recordNode(path.join(dir, `${name}.mjs`), [], { out, cwd: dir, stdio: 'ignore', own, duration: 120_000 })
  const figures = await analyse(out)
  return conflicts(figures).map((c) => conflictText(figures, c))
}

// Needs a registry and some minutes.
if (soak > 1)
  test('of twenty published races in real packages each is the first card, or the second', async () => {
    const modules = installed()
    const wrong: string[] = []
    let first = 0
    for (const { name, own, card } of published) {
      const found = await cards(name, own, modules)
      const rank = found.findIndex((text) => card.test(text))
      if (rank === 0) first++
      if (rank === -1 || rank > 1)
        wrong.push(`${name}: ${rank === -1 ? 'not found' : rank + 1} of ${found.join(' | ')}`)
    }
    same(wrong, [])
    ok(published.length >= 20 && first >= published.length - 2, `${first} of ${published.length} come first`)
  })
