/** The types of examples.mjs. */
export interface Exported {
  entry: string
  name: string
  value: boolean
  documented: boolean
  example: string | undefined
  shownBy: string[]
}
export function exported(js: string): { found: Exported[]; checker: object }
export function programOf(example: string, found: Exported[]): string | null
export function printed(example: string): string[]
