/** The built text of `page.ts`, beside this file's bundle. */
import { readFileSync } from 'node:fs'
import { builtFile } from '../../built_file.ts'

let text: string | undefined

export const pageText = (): string => (text ??= readFileSync(builtFile('page-accesses.js'), 'utf8'))
