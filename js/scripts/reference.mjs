// Writes docs/reference.md from the types and comments of what the package exports.
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { exported } from './examples.mjs'
import { referencePage } from './referencePage.mjs'

const js = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..')
writeFileSync(path.join(js, 'docs/reference.md'), referencePage(exported(js)))
