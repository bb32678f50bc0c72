/** The sentence on a program or page that hung: how long, and in which function. */
import { shortUrl } from '../analysis/sites.ts'

/** Says that a program hung for so many microseconds, and where, if that is known. `killed`: what became of it. */
export function hungText(duration: number, where?: { url: string; line: number; name: string }, killed = true): string {
  const seconds = (duration / 1e6).toFixed(1)
  const end = killed ? ', and was killed' : ''
  const said = `the program did not return to its event loop for the last ${seconds} s${end}`
  if (where === undefined) return said
  const { name, url, line } = where
  return `${said}; it was in ${name === '' ? 'a function without a name' : `${name}()`} at ${shortUrl(url)}:${line}`
}
