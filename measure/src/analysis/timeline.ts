/**
 * Pieces of the recording for the timeline: some hundred consecutive continuations of one event loop, with their edges,
 * chosen where there is something to see: where most gaps under 10 ms were interrupted, where the most continuations
 * ran within the least time, and evenly over the rest. Rows as in figure 1 of the papers: the first of a continuation's
 * children goes on in its row, the others begin rows of their own; "purely a human interpretation", as the caption
 * says.
 */
import type { Loop } from './loop.ts'

export const PIECE = 240
const PIECES = 12

export interface TimelinePiece {
  why: 'interrupted' | 'dense' | 'sample'
  thread: number
  /** µs since the recording's origin. */
  from: number
  to: number
  rows: number
  /**
   * [start and end (µs after `from`), parent (index in this piece; -1 root; -2 outside the piece), site, row, recurring
   * (0 or 1), how many continuations interrupted the gap before it]
   */
  nodes: [
    start: number,
    end: number,
    parent: number,
    site: number,
    row: number,
    recurring: number,
    interruptions: number,
  ][]
  title?: string
}

export function timelinePieces(loops: Loop[], pieces = PIECES, length = PIECE): TimelinePiece[] {
  const windows: { loop: Loop; at: number; interrupted: number; span: number }[] = []
  for (const loop of loops) {
    for (let at = 0; at < loop.n; at += length) {
      const to = Math.min(loop.n, at + length)
      if (at > 0 && to - at < length / 4) continue
      let interrupted = 0
      for (let c = at; c < to; c++) {
        const p = loop.edge(c)
        if (p >= at && c - p > 1 && loop.start[c]! - loop.end[p]! < 10_000) interrupted++
      }
      windows.push({ loop, at, interrupted, span: loop.end[to - 1]! - loop.start[at]! })
    }
  }
  const chosen = new Map<(typeof windows)[number], TimelinePiece['why']>()
  const take = (sorted: typeof windows, count: number, why: TimelinePiece['why']): void => {
    for (const w of sorted) if (count > 0 && !chosen.has(w)) (chosen.set(w, why), count--)
  }
  take(
    [...windows].sort((a, b) => b.interrupted - a.interrupted).filter((w) => w.interrupted > 0),
    Math.ceil(pieces / 2),
    'interrupted',
  )
  take(
    [...windows].sort((a, b) => a.span - b.span).filter((w) => w.loop.n - w.at >= length),
    Math.floor(pieces / 4),
    'dense',
  )
  const left = Math.min(pieces - chosen.size, windows.length)
  take(
    Array.from({ length: left }, (_, i) => windows[Math.floor((i * windows.length) / left)]!),
    left,
    'sample',
  )
  return [...chosen].map(([w, why]) => piece(w.loop, w.at, Math.min(w.loop.n, w.at + length), why))
}

function piece(loop: Loop, at: number, to: number, why: TimelinePiece['why']): TimelinePiece {
  const from = loop.start[at]!
  const rowOf = new Int32Array(to - at)
  const continued = new Uint8Array(to - at)
  const freeFrom: number[] = [] // for each row: when the last continuation ends that is in it or may still be put there
  const firstChild = new Map<number, number>()
  for (let c = to - 1; c >= at; c--) {
    const p = loop.parent[c]!
    if (p >= at) firstChild.set(p, c)
  }
  const nodes: TimelinePiece['nodes'] = []
  for (let c = at; c < to; c++) {
    const p = loop.parent[c]!
    let row = -1
    if (p >= at && firstChild.get(p) === c && continued[p - at] === 0) {
      continued[p - at] = 1
      row = rowOf[p - at]!
    }
    if (row < 0) row = freeFrom.findIndex((until) => until <= loop.start[c]!)
    if (row < 0) row = freeFrom.length
    const heir = firstChild.get(c)
    freeFrom[row] = heir === undefined ? loop.end[c]! : loop.end[heir]!
    rowOf[c - at] = row
    const round = (x: number): number => Math.round(x * 10) / 10
    nodes.push([
      round(loop.start[c]! - from),
      round(loop.end[c]! - from),
      p >= at ? p - at : p >= 0 ? -2 : -1,
      loop.site[c]!,
      row,
      loop.recurring[c]!,
      p < 0 ? 0 : c - p - 1,
    ])
  }
  return { why, thread: loop.thread, from, to: loop.end[to - 1]!, rows: freeFrom.length, nodes }
}
