// fs-extra: ensureFile looks for the file, and empties what was written meanwhile.
import fs from 'fs-extra'
import { readFile, writeFile } from 'node:fs/promises'

await Promise.all([fs.ensureFile('a.txt'), writeFile('a.txt', 'text')])
await readFile('a.txt', 'utf8')
