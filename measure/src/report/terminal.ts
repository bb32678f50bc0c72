/**
 * The summary in the terminal: what went wrong, what was found, what was recorded, the sentences, the table of
 * subtrees, and the first entries of the ranking.
 */
import { counted, grouped } from '../format/counted.ts'
import type { Figures } from '../analysis/figures.ts'
import { conflicts, conflictText, isNative, isTelling, noConflict, unwatchedText } from '../analysis/conflicts.ts'
import { adviceText } from '../analysis/ranking.ts'
import { visibleIn } from '../format/visible.ts'
import { fileOf, shortUrl, siteText, type Site } from '../analysis/sites.ts'
import type { WaitEntry } from '../analysis/waits.ts'
import { costText, percent, time, whole } from './format.ts'
import { insights } from './insights.ts'
import { troubles } from './troubles.ts'

export interface TerminalOptions {
  color?: boolean
  /** Columns; longer lines are cut. */
  width?: number
  /** Chains of the ranking that are listed. */
  chains?: number
}

export function terminalSummary(
  figures: Figures,
  { color = false, width = 100, chains = 8 }: TerminalOptions = {},
): string {
  const f = visibleIn(figures)
  const paint = (code: string, text: string): string => (color ? `\x1b[${code}m${text}\x1b[0m` : text)
  const lines = troubles(f).map((text) => paint('31', text))
  lines.push(paint('1', f.title))
  const length = f.recordings.reduce((sum, r) => sum + r.length, 0)
  const dropped = f.recordings.reduce((sum, r) => sum + r.dropped, 0)
  const { continuations, loops, edges } = f.counts
  const many = f.recordings.length > 1 ? `${f.recordings.length} recordings, ` : ''
  const lost = dropped > 0 ? paint('33', `; ${whole(dropped)} lost`) : ''
  lines.push('', ...cards(f, paint, width, chains), '')
  lines.push(
    `${many}${time(length)}; ${counted(continuations, 'continuation')} on ${counted(loops, 'event loop')}, ` +
      `${percent(edges, continuations)} with a known parent${lost}`,
  )
  for (const { topic, text } of insights(f))
    lines.push(...wrapText(`${paint('1', topic.padEnd(12))}${text}`, width, 12, color ? 8 : 0))
  lines.push(
    '',
    paint('1', 'Potentially atomic subtrees'),
    paint('2', '  limit      total  linear  multi L  multi S  contain L  contain S  interrupted'),
  )
  for (const r of f.subtrees) {
    const p = (n: number, width: number): string => percent(n, r.total).padStart(width)
    lines.push(
      `  ${`${r.limitMs} ms`.padEnd(8)}${whole(r.total).padStart(8)}${p(r.linearL, 8)}${p(r.multiL, 9)}` +
        `${p(r.multiS, 9)}${p(r.containL, 11)}${p(r.containS, 11)}${p(r.interrupted, 13)}`,
    )
  }
  const listed = f.ranking.chains.filter((c) => c.advice !== 'too-few-runs').slice(0, chains)
  if (listed.length > 0) lines.push('', paint('1', 'Chains to look at first'))
  for (const chain of listed) {
    const advice = adviceText(chain, isNative(f, chain.from))
    lines.push(`  ${paint(chain.advice === 'wrap' ? '32' : chain.advice === 'careful' ? '33' : '31', advice)}`)
    lines.push(`    ${cut(chain.sites.map((s) => siteText(f.sites[s], f.sites)).join(' → '), width - 4)}`)
    if (chain.by.length > 0)
      lines.push(
        paint(
          '2',
          `    by ${cut(
            chain.by
              .slice(0, 2)
              .map(([s, n]) => `${siteText(f.sites[s], f.sites)} (${grouped(n)})`)
              .join(', '),
            width - 7,
          )}`,
        ),
      )
  }
  if (f.waits && f.waits.length > 0) lines.push('', ...waitsTable(f.waits, f.sites, paint))
  const { blocks, interruptions } = f.atomic
  const foreign = paint('31', `${whole(interruptions)} foreign continuations ran inside`)
  const entered = interruptions === 0 ? 'none entered by foreign continuations' : foreign
  if (blocks > 0) lines.push('', `${counted(blocks, 'atomic block')}, ${entered}`)
  for (const note of f.notes.slice(0, 5)) lines.push(paint('33', `note: ${cut(note, width - 6)}`))
  return `${lines.join('\n')}\n`
}

const FUNCTIONS = 10

/** A table as gprof's: for how long the frames of each function were saved. */
function waitsTable(entries: WaitEntry[], sites: Site[], paint: (code: string, text: string) => string): string[] {
  const row = ({ site, waits, self, total }: WaitEntry): string => {
    const place = sites[site]!
    const name = place.original?.name ?? place.function ?? 'the body of an activity'
    const times = [time(total), time(self), whole(waits)].map((text) => text.padStart(10)).join('')
    return `${times}   ${name} ${paint('2', shortUrl(fileOf(place) ?? ''))}`
  }
  return [
    paint('1', 'Functions in which activities waited'),
    paint('2', '     total      self     waits'),
    ...entries.slice(0, FUNCTIONS).map(row),
  ]
}

const CARDS = 5

function cards(f: Figures, paint: (code: string, text: string) => string, width: number, more: number): string[] {
  const all = conflicts(f)
  const own = all.filter(isTelling)
  const lines: string[] = []
  const unwatched = unwatchedText(f)
  const color = unwatched === undefined ? '32' : '33'
  if (own.length === 0) lines.push(...wrapText(noConflict(f, all), width, 0, 0).map((line) => paint(color, line)))
  else if (own.length === 1) lines.push(paint('1', 'One conflict in your code'))
  else lines.push(paint('1', `${own.length} conflicts in your code${own.length > CARDS ? `, the first ${CARDS}` : ''}`))
  for (const [i, c] of own.slice(0, CARDS).entries()) {
    const place = (site: number): string => siteText(f.sites[site], f.sites).replace(/^\S+ /, '')
    lines.push(...wrapText(`  ${i + 1}. ${paint('1;31', conflictText(f, c))}`, width, 5, 0))
    lines.push(cut(`       ${c.evidence === 'data' ? 'reads  ' : 'begins '} ${place(c.first)}`, width))
    for (const site of c.awaits) lines.push(cut(`       waits   ${place(site)}`, width))
    lines.push(cut(paint('31', `     ▶ ${c.evidence === 'data' ? 'another' : 'enters '} ${place(c.other)}`), width + 9))
    lines.push(cut(`       ${c.evidence === 'data' ? 'then   ' : 'goes on'} ${place(c.second)}`, width))
    const cost = wrapText(costText(c), width - 5, 0, 0)
    lines.push(...cost.map((line) => paint('2', `     ${line}`)))
  }
  if (own.length > 0 && unwatched !== undefined)
    lines.push(...wrapText(unwatched, width - 2, 0, 0).map((line) => paint('33', `  ${line}`)))
  const foreign = all.filter((c) => c.foreign).length
  const ofHints = all.filter((c) => !c.foreign && c.hint)
  const hints = ofHints.filter((c) => c.evidence === 'function').length
  const between = ofHints.filter((c) => c.kind === 'partly written state was seen').length
  const over = ofHints.length - hints - between
  const where = more > 0 ? ' (in the report)' : ''
  if (hints > 0) lines.push(paint('2', `  and ${hintsText(hints)}${where}`))
  if (between > 0) lines.push(paint('2', `  and ${betweenText(between)}${where}`))
  if (over > 0) lines.push(paint('2', `  and ${overText(over)}${where}`))
  if (foreign > 0) lines.push(paint('2', `  and ${foreign} in packages${where}`))
  return lines
}

const hintsText = (n: number): string =>
  `${n === 1 ? 'one function was' : `${n} functions were`} entered during a wait, but no harm was seen`

const betweenText = (n: number): string =>
  n === 1 ? 'one value was read between two writes of it' : `${n} values were read between two writes of them`

const overText = (n: number): string =>
  n === 1
    ? 'one value changed during a wait, but nothing was done by the old one'
    : `${n} values changed during waits, but nothing was done by the old ones`

const cut = (text: string, width: number): string =>
  text.length > width ? `${text.slice(0, Math.max(1, width - 1))}…` : text

/** `invisible`: escape characters in the first line. */
function wrapText(text: string, width: number, indent: number, invisible: number): string[] {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
    if (line.length + word.length + 1 > width + (lines.length === 0 ? invisible : 0) && line !== '') {
      lines.push(line)
      line = `${' '.repeat(indent)}${word}`
    } else line = line === '' ? word : `${line} ${word}`
  }
  return [...lines, line]
}
