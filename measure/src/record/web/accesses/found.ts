/** How a page hands over what was found in it. */
import type { Told } from '../../accesses/tell.ts'

/** The global function of a realm that tells, as JSON, what was found in it. */
export const FOUND = '$ch_found'

/** What a time stamp begins with that tells it meanwhile. */
export const STAMP = 'charcoal:found:'

/** What a realm tells; it may tell the same again later. */
export interface Found {
  /** The realm's own number. */
  realm: number
  findings: Told[]
  /** The sites where code was made. */
  made: number[]
}
