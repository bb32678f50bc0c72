/** Files of `dist/` that recorded programs and pages load. */
import { existsSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { MeasureError } from '../format/error.ts'

/** Its path: beside this file's bundle, or in the checkout. */
export function builtFile(name: string): string {
  const here = path.dirname(fileURLToPath(import.meta.url))
  const checkout = process.env.CHARCOAL_MEASURE
  const folders = [
    ...(checkout === undefined ? [] : [path.join(checkout, 'dist')]),
    here,
    path.join(here, '../../dist'),
  ]
  const file = folders.map((dir) => path.join(dir, name)).find((f) => existsSync(f))
  if (file === undefined) throw new MeasureError(`dist/${name} is missing; run \`npm run build\` in measure/`)
  return file
}
