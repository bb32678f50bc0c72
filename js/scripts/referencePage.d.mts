/** The types of referencePage.mjs. */
import type { exported } from './examples.mjs'

export function referencePage(found: ReturnType<typeof exported>): string
