/**
 * Stores in a trace where its places lie in the text that people wrote, while the scripts and their maps are still
 * those that ran. A trace that is looked at after the next build shows the right lines.
 */
import { loadLocal, mapPlaces, type Load } from '../analysis/sourcemaps.ts'
import type { Location } from '../format/types.ts'
import { insertBeforeEnd, recordsOf } from './stored.ts'

export async function storeOriginals(trace: string, load: Load = loadLocal): Promise<void> {
  const locations = new Map<number, Location>()
  const variables = new Map<number, string>()
  for await (const record of recordsOf(trace)) {
    if (record.type === 'location') locations.set(record.id, record)
    else if (record.type === 'original') locations.delete(record.location)
    else if (record.type === 'unserialisable' && record.variable !== undefined)
      variables.set(record.second, record.variable)
  }
  let text = ''
  await mapPlaces(
    [...locations.values()].map((location) => ({ ...location, variable: variables.get(location.id) })),
    ({ id }, to) => (text += `${JSON.stringify({ type: 'original', location: id, ...to })}\n`),
    load,
  )
  if (text !== '') insertBeforeEnd(trace, text)
}
