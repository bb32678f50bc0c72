/** The built hook. */
import { pathToFileURL } from 'node:url'
import { builtFile } from '../built_file.ts'

export const hookUrl = (): string => pathToFileURL(builtFile('hook.mjs')).href
