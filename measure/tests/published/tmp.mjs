// tmp: a name that nobody uses is found, and then used; two find the same.
import { writeFile } from 'node:fs'
import tmp from 'tmp'

const make = () =>
  new Promise((done, fail) =>
    tmp.tmpName({ dir: process.cwd(), name: 'upload' }, (error, name) =>
      error ? fail(error) : writeFile(name, 'text', () => done()),
    ),
  )
await Promise.allSettled([make(), make(), make()])
