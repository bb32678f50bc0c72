/** Random programs: each risky gap has a card, and nothing safe has one. */
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { analyse } from '../src/analysis/index.ts'
import { conflicts, conflictText, isTelling } from '../src/analysis/conflicts.ts'
import { recordNode } from '../src/record/node/index.ts'
import { randomGaps } from './gaps.ts'
import { same, seed, soak, test } from './harness.ts'
import { temporary } from './places.ts'

/** The linear congruential generator of Numerical Recipes. */
function chooser(state: number): (n: number) => number {
  return (n) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return Math.floor((state / 2 ** 32) * n)
  }
}

/** What the report says wrongly of the program of this number. */
async function mistakes(number: number): Promise<string[]> {
  const { program, risky, safe } = randomGaps(chooser(number))
  const dir = temporary()
  const out = path.join(dir, 'trace.jsonl')
  writeFileSync(path.join(dir, 'program.mjs'), program)
  await recordNode(path.join(dir, 'program.mjs'), [], { out, cwd: dir, stdio: 'ignore' })
  const figures = await analyse(out)
  const cards = conflicts(figures).filter(isTelling)
  const operations = cards.map((c) => figures.sites[c.operation ?? c.second]?.function ?? '')
  const wrong: string[] = []
  for (const [name, made] of risky) if (!operations.includes(name)) wrong.push(`${name} has no card: ${made}`)
  operations.forEach((name, i) => {
    if (!risky.has(name)) wrong.push(`${conflictText(figures, cards[i]!)} Yet ${name} is ${safe.get(name)}`)
  })
  return wrong.map((text) => `program ${number}: ${text}`)
}

test('in random programs each risky gap has a card, and nothing that is safe', async () => {
  const first = seed(1)
  for (let number = first; number < first + 4 * soak; number++) same(await mistakes(number), [])
})
