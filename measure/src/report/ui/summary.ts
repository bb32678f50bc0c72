/** What was recorded: numbers, what they say, and what the recorder noted. */
import type { Figures } from '../../analysis/figures.ts'
import { percent, time, whole } from '../format.ts'
import { insights } from '../insights.ts'
import { h } from './dom.ts'

const MAX_NOTES = 20

const stat = (value: string, label: string): HTMLElement =>
  h('div', { class: 'stat' }, h('b', {}, value), h('span', {}, label))

/** A number is not separated from its unit at the end of a line. */
const together = (text: string): string => text.replace(/(\d) (%|[mµ]?s\b)/g, '$1\u00a0$2')

export function summary(f: Figures): (HTMLElement | null)[] {
  const told = insights(f).flatMap(({ topic, text }) => [h('dt', {}, topic), h('dd', {}, together(text))])
  const notes = f.notes.slice(0, MAX_NOTES).map((note) => h('li', {}, note))
  return [
    h('div', { class: 'stats' }, stats(f)),
    h('dl', { class: 'insights' }, told),
    notes.length > 0 ? h('ul', { class: 'notes' }, notes) : null,
  ]
}

function stats({ counts, recordings }: Figures): (HTMLElement | null)[] {
  const dropped = recordings.reduce((sum, r) => sum + r.dropped, 0)
  const length = recordings.reduce((sum, r) => sum + r.length, 0)
  return [
    stat(whole(counts.continuations), 'continuations'),
    stat(time(length), recordings.length > 1 ? `in ${recordings.length} recordings` : 'recorded'),
    stat(whole(counts.loops), counts.loops === 1 ? 'event loop' : 'event loops'),
    stat(percent(counts.busy, length), 'of the time running'),
    stat(percent(counts.edges, counts.continuations), 'have a known parent'),
    stat(percent(counts.recurring, counts.continuations), 'run again and again (intervals, listeners)'),
    dropped > 0 ? stat(whole(dropped), 'were lost') : null,
  ]
}
