/** The entry points of the package as bundles of tests find them: in the sources. */
import path from 'node:path'
import { library, specifier, tools } from '../scripts/entries.mjs'

export function aliases(js: string): Record<string, string> {
  // Longer names first: `charcoal-js` is also the beginning of all others.
  return Object.fromEntries(
    [...Object.entries(library), ['plugin', tools.plugin] as const]
      .reverse()
      .map(([name, file]) => [specifier(name), path.join(js, file)]),
  )
}
