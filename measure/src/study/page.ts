/**
 * A page that holds the study's tables: each stands between two marks, `<!-- study: TITLE -->` and `<!-- end -->`, and
 * is put there from `study.json`. What stands outside of them is people's.
 */
import { MeasureError } from '../format/error.ts'
import type { Section } from './tables.ts'

/** The page with these sections in it. Fails if a mark names none of them, or one of them is nowhere. */
export function filled(page: string, sections: Section[]): string {
  const left = new Map(sections)
  const text = page.replace(/<!-- study: (.*) -->\n[^]*?<!-- end -->/g, (_, title: string) => {
    const section = left.get(title)
    if (section === undefined) throw new MeasureError(`the page asks for a table "${title}" that there is not`, 3)
    left.delete(title)
    return `<!-- study: ${title} -->\n\n${section}\n\n<!-- end -->`
  })
  if (left.size > 0) throw new MeasureError(`the page has no place for ${[...left.keys()].join(', ')}`, 3)
  return text
}
