/** The summary in the terminal: what was recorded, the sentences, the table of subtrees, the first of the ranking. */
import type { Figures } from '../analysis/figures.ts'
import { adviceText } from '../analysis/ranking.ts'
import { siteText } from '../analysis/sites.ts'
import { percent, time, whole } from './format.ts'
import { insights } from './insights.ts'

export interface TerminalOptions {
  color?: boolean
  /** Columns; longer lines are cut. */
  width?: number
  /** Chains of the ranking that are listed. */
  chains?: number
}

export function terminalSummary(f: Figures, { color = false, width = 100, chains = 8 }: TerminalOptions = {}): string {
  const paint = (code: string, text: string): string => (color ? `\x1b[${code}m${text}\x1b[0m` : text)
  const lines: string[] = []
  lines.push(paint('1', f.title))
  const length = f.recordings.reduce((sum, r) => sum + r.length, 0)
  const dropped = f.recordings.reduce((sum, r) => sum + r.dropped, 0)
  lines.push(
    `${f.recordings.length > 1 ? `${f.recordings.length} recordings, ` : ''}${time(length)}; ${whole(f.counts.continuations)} continuations on ${f.counts.loops} event loop${f.counts.loops === 1 ? '' : 's'}, ` +
      `${percent(f.counts.edges, f.counts.continuations)} with a known parent${dropped > 0 ? paint('33', `; ${whole(dropped)} lost`) : ''}`,
    '',
  )
  for (const { topic, text } of insights(f)) lines.push(...wrapText(`${paint('1', topic.padEnd(12))}${text}`, width, 12, color ? 8 : 0))
  lines.push('', paint('1', 'Potentially atomic subtrees'), paint('2', '  limit      total  linear  multi L  multi S  contain L  contain S  interrupted'))
  for (const r of f.subtrees) {
    const p = (n: number): string => percent(n, r.total)
    lines.push(`  ${`${r.limitMs} ms`.padEnd(8)}${whole(r.total).padStart(8)}${p(r.linearL).padStart(8)}${p(r.multiL).padStart(9)}${p(r.multiS).padStart(9)}${p(r.containL).padStart(11)}${p(r.containS).padStart(11)}${p(r.interrupted).padStart(13)}`)
  }
  const listed = f.ranking.chains.filter((c) => c.advice !== 'too-few-runs').slice(0, chains)
  if (listed.length > 0) lines.push('', paint('1', 'Chains to look at first'))
  for (const chain of listed) {
    const advice = adviceText(chain)
    lines.push(`  ${paint(chain.advice === 'wrap' ? '32' : chain.advice === 'careful' ? '33' : '31', advice)}`)
    lines.push(`    ${cut(chain.sites.map((s) => siteText(f.sites[s])).join(' → '), width - 4)}`)
    if (chain.by.length > 0) lines.push(paint('2', `    by ${cut(chain.by.slice(0, 2).map(([s, n]) => `${siteText(f.sites[s])} (${n})`).join(', '), width - 7)}`))
  }
  if (f.atomic.blocks > 0) lines.push('', `${whole(f.atomic.blocks)} atomic blocks, ${f.atomic.interruptions === 0 ? 'none entered by foreign continuations' : paint('31', `${whole(f.atomic.interruptions)} foreign continuations ran inside`)}`)
  if (f.atomic.unserialisable.length > 0) lines.push('', paint('1', 'Interleavings that no serial order explains'))
  for (const { kind, variable, sites, count } of f.atomic.unserialisable.slice(0, chains)) {
    const [first, other, second] = sites.map((s) => siteText(f.sites[s]).replace(/^access /, ''))
    lines.push(`  ${paint('31', `${kind}${variable === undefined ? '' : ` of ${variable}`}, ${whole(count)} time${count === 1 ? '' : 's'}`)}`, `    ${cut(`${first} → by another ${other} → ${second}`, width - 4)}`)
  }
  for (const note of f.notes.slice(0, 5)) lines.push(paint('33', `note: ${cut(note, width - 6)}`))
  return `${lines.join('\n')}\n`
}

const cut = (text: string, width: number): string => (text.length > width ? `${text.slice(0, Math.max(1, width - 1))}…` : text)

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
