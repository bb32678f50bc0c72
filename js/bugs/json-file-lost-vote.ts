/** An update of a JSON file is lost, because another one reads the file before it is written. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { spawn, wait } from '../src/index.ts'
import type { Bug } from './bug.ts'

const directories: string[] = []

export const jsonFileLostVote: Bug = {
  title: 'concurrent read, change, write of a JSON file lose votes',
  reported: 'https://github.com/typicode/lowdb/issues/478 (also #359: a poll bot that loses votes)',
  story:
    'Each update reads the file, changes the data and writes the file. A read between another update and its ' +
    'write sees the old data, and its own write restores them. A real file.',
  real: true,
  program: (risky) =>
    function* () {
      const directory = yield* wait(mkdtemp(path.join(tmpdir(), 'charcoal-bug-')))
      directories.push(directory)
      const file = path.join(directory, 'db.json')
      yield* wait(writeFile(file, '{"votes":0}'))
      const vote = () =>
        spawn(function* () {
          yield* risky(function* () {
            const data = JSON.parse(yield* wait(readFile(file, 'utf8')))
            data.votes++
            yield* wait(writeFile(file, JSON.stringify(data)))
          })
        })
      for (const v of [vote(), vote()]) yield* v
      const { votes } = JSON.parse(yield* wait(readFile(file, 'utf8')))
      if (votes !== 2) throw new Error(`2 votes were given, ${votes} counted`)
    },
  clean: async () => {
    for (const directory of directories.splice(0)) await rm(directory, { recursive: true, force: true })
  },
}
