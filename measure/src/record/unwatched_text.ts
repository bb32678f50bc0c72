/** Own code whose reads and writes are not watched, as parts of the sentence that names it. */
import { shortUrl } from '../analysis/sites.ts'
import { grouped } from '../format/counted.ts'
import type { Described } from './accesses/tell.ts'
import type { Place } from './place.ts'

export const leftText = (url: string, why: string): string => `${shortUrl(url)}, because ${why}`

/** What a call makes and runs, such as `eval` of a text. */
export const madeText = ({ place, text }: Described): string =>
  `what ${text} runs at ${shortUrl(place.url)}:${place.line}`

/** A text that became a script, and where, if that is known. */
export const ranText = (text: string, at: string | undefined): string =>
  `what the text${text === '' ? '' : ` \`${text}\``} runs${at === undefined ? '' : ` at ${at}`}`

export const tooLong = (characters: number): string => `it has ${grouped(characters)} characters or more`

/** A worker that is made of a text; `maker`: where, if that is known. */
export const workerText = (maker: Place | null): string =>
  `a worker made of a text${maker === null ? '' : ` at ${shortUrl(maker.url)}:${maker.line}`}, which was not recorded`
