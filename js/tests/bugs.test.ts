/**
 * Published bugs of real projects: each fails under `explore` as it was, and passes with an atomic block around the
 * risky stretch.
 */
import { test, ok, rejects } from './harness.ts'
import * as bugs from '../bugs/index.ts'
import { atomically, plainly } from '../bugs/bug.ts'
import { explore, ExploreError } from '../src/dev/index.ts'

for (const bug of Object.values(bugs))
  test(`a published bug: ${bug.title}`, async () => {
    try {
      const schedules = bug.real ? 30 : 500
      const error: ExploreError = await rejects(
        explore(bug.program(plainly), { schedules, shrink: bug.real ? 5 : 200, idleTimeout: 2000 }),
        /replay it with \{ seed: /,
      )
      if (!bug.real) await rejects(explore(bug.program(plainly), { seed: error.seed }), /replay/)
      const repaired = await explore(bug.program(atomically), { schedules, idleTimeout: 2000 })
      ok(repaired.schedules === schedules)
    } finally {
      await bug.clean?.()
    }
  })
