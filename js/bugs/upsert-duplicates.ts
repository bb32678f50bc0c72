/** Two callers create the same record, because both look for it before either has created it. */
import { pause, spawn } from '../src/index.ts'
import type { Bug } from './bug.ts'

export const upsertDuplicates: Bug = {
  title: 'updateOrCreate of an in-memory connector creates the record twice',
  reported:
    'https://github.com/loopbackio/loopback-datasource-juggler/issues/803 (also drudge/mongoose-findorcreate #28,' +
    ' prisma #3242)',
  story:
    'Look up, not found, create: two callers look before either has created. The steps of the connector are ' +
    'asynchronous although the data are in memory.',
  program: (risky) =>
    function* () {
      const rows: { email: string; visits: number }[] = []
      const find = function* (email: string) {
        yield* pause()
        return rows.find((r) => r.email === email)
      }
      const create = function* (email: string) {
        yield* pause()
        rows.push({ email, visits: 1 })
      }
      const upsert = (email: string) =>
        spawn(function* () {
          yield* risky(function* () {
            const row = yield* find(email)
            if (row === undefined) yield* create(email)
            else row.visits++
          })
        })
      for (const u of [upsert('a@b.c'), upsert('a@b.c')]) yield* u
      if (rows.length !== 1 || rows[0].visits !== 2)
        throw new Error(`one record with 2 visits was wanted: ${JSON.stringify(rows)}`)
    },
}
