/** The address of a script by the name that V8 has for it: a CommonJS module's is its path. */
import path from 'node:path'
import { pathToFileURL } from 'node:url'

export const scriptAddress = (name: string): string => (path.isAbsolute(name) ? pathToFileURL(name).href : name)
