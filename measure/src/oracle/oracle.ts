/**
 * Checks a trace against what is known of the programs that made it. Programs leave marks: `p:NAME` in the continuation
 * that registers, `c:NAME` in the callback (see `mark` in FORMAT.md).
 */
import { readTrace } from '../format/read.ts'
import type { Continuation } from '../format/types.ts'

export interface Oracle<M> {
  name: string
  /** Its kind in the trace; absent: any. */
  kind?: string
  /**
   * `parent` (default): the callback's parent is the registering continuation. `alternative`: that is its parent or
   * among its alternatives (a promise that is settled by another callback). `either`: as `alternative`; the browser
   * promises no order of the two. `same`: it runs inside the registering continuation. `root`: it has no parent.
   * `recurring`: each run has the registering continuation as its parent and is marked as recurring.
   */
  expect?: 'parent' | 'alternative' | 'either' | 'same' | 'root' | 'recurring'
  /** Needs mode `full`. */
  promise?: boolean
  /** Not in every browser. */
  optional?: boolean
  program(m: M): unknown
}

export interface Verdict {
  name: string
  ok: boolean
  seen: boolean
  kind: string
  /** What was expected and what was found, if it is wrong. */
  why: string
}

/** One verdict for each oracle that the mode promises. In mode `fast` some callbacks have no name. */
export async function judge(
  trace: string,
  oracles: readonly Omit<Oracle<never>, 'program'>[],
  mode: 'fast' | 'full' = 'full',
): Promise<Verdict[]> {
  const marks = new Map<string, { time: number; continuation: number }[]>()
  const continuations = new Map<number, Continuation>()
  for await (const records of readTrace(trace))
    for (const r of records) {
      if (r.type === 'continuation') continuations.set(r.id, r)
      else if (r.type === 'mark')
        marks.set(r.name, [...(marks.get(r.name) ?? []), { time: r.time, continuation: r.continuation }])
    }
  return oracles
    .filter((o) => mode === 'full' || o.promise !== true)
    .map((o) => {
      const children = marks.get(`c:${o.name}`) ?? []
      const runs = children.map((m) => continuations.get(m.continuation)).filter((c) => c !== undefined)
      const expect = o.expect ?? 'parent'
      const verdict = (ok: boolean, why = ''): Verdict => ({
        name: o.name,
        ok,
        seen: runs.length > 0,
        kind: runs[0]?.kind ?? '',
        why,
      })
      if (runs.length === 0) return verdict(false, 'the callback is not in the trace')
      const last = children[0].time
      const parent = (marks.get(`p:${o.name}`) ?? []).filter((m) => m.time <= last).at(-1)
      if (parent === undefined) return verdict(false, 'the registering continuation is not in the trace')
      const p = parent.continuation
      const links = (c: Continuation): (number | null)[] => [c.parent, ...(c.alternatives ?? []).map(([id]) => id)]
      const bad = runs.find((c) => {
        switch (expect) {
          case 'same':
            return c.id !== p
          case 'root':
            return c.parent !== null
          case 'parent':
            return c.parent !== p
          case 'recurring':
            return c.parent !== p || c.recurring !== true
          default:
            return !links(c).includes(p)
        }
      })
      if (bad !== undefined) return verdict(false, `expected ${expect} ${p}; ${described(bad)}`)
      if (expect === 'recurring' && runs.length < 2) return verdict(false, 'ran only once')
      if (
        o.kind !== undefined &&
        runs[0].kind !== o.kind &&
        expect !== 'same' &&
        !(mode === 'fast' && runs[0].kind === 'callback')
      )
        return verdict(false, `expected kind ${o.kind}, found ${runs[0].kind}`)
      return verdict(true)
    })
}

/** What a continuation hangs on, for a message. */
function described({ id, kind, parent, alternatives, recurring }: Continuation): string {
  const others = alternatives === undefined ? '' : `, alternatives ${alternatives.map(([other]) => other).join(' ')}`
  return `continuation ${id} (${kind}) has parent ${parent}${others}${recurring ? ', recurring' : ''}`
}
