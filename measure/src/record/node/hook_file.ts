/** The built hook, beside this file's bundle. */
import { existsSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { MeasureError } from '../../format/error.ts'

export function hookUrl(): string {
  const here = path.dirname(fileURLToPath(import.meta.url))
  const checkout = process.env.CHARCOAL_MEASURE
  const folders = [
    ...(checkout === undefined ? [] : [path.join(checkout, 'dist')]),
    here,
    path.join(here, '../../../dist'),
  ]
  const file = folders.map((dir) => path.join(dir, 'hook.mjs')).find((f) => existsSync(f))
  if (file === undefined) throw new MeasureError('dist/hook.mjs is missing; run `npm run build` in measure/')
  return pathToFileURL(file).href
}
