/** A directory that was not found cannot be made, because somebody else has made it meanwhile. */
import { mkdir, mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { spawn, wait } from '../src/index.ts'
import type { Bug } from './bug.ts'

const directories: string[] = []

export const mkdirRace: Bug = {
  title: 'making a path in parallel fails with EEXIST',
  reported: 'https://github.com/jonvuri/mkpath/issues/1 (also jprichardson/node-fs-extra #967)',
  story:
    'The directory is looked for, not found, and made. Whoever looked at the same time fails to make it. A real ' +
    'file system.',
  real: true,
  program: (risky) =>
    function* () {
      const root = yield* wait(mkdtemp(path.join(tmpdir(), 'charcoal-bug-')))
      directories.push(root)
      const make = (...parts: string[]) =>
        spawn(function* () {
          yield* risky(function* () {
            let at = root
            for (const part of parts) {
              at = path.join(at, part)
              const found = yield* wait(stat(at).then(() => true, () => false))
              if (!found) yield* wait(mkdir(at))
            }
          })
        })
      for (const m of [make('a', 'b'), make('a', 'c')]) yield* m
    },
  clean: async () => {
    for (const directory of directories.splice(0)) await rm(directory, { recursive: true, force: true })
  },
}
