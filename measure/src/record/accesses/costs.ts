/**
 * What an operation has cost between two moments: how long it computed, and how long it waited for what comes from
 * outside, without the sleeps that the program asked for. Of the newest stretches in which somebody ran, and of the
 * newest sleeps, it is known whose they were.
 *
 * Times are microseconds.
 */
import type { Activation } from './flows.ts'

const STRETCHES = 4096
const SLEEPS = 1024

interface Span {
  by: Activation
  from: number
  to: number
}

export interface Cost {
  computed: number
  waited: number
}

export class Costs {
  private readonly stretches = new Ring(STRETCHES)
  private readonly sleeps = new Ring(SLEEPS)

  /** An activation ran, from the event loop's call or the end of an `await` to the next `await` or its end. */
  ran(by: Activation, from: number, to: number): void {
    this.stretches.push(by, from, to)
  }

  /** A timer of so long; it counts if it has run out by the end of the operation. */
  slept(by: Activation, from: number, to: number): void {
    this.sleeps.push(by, from, to)
  }

  /** Of an activation and those below it. `running`: the one that runs at the end. */
  between(whole: Activation, running: Activation, from: number, to: number): Cost {
    const computing = this.stretches.within(whole, from, to)
    for (let a: Activation | null = running; a !== null; a = a.parent) {
      if (a.runsSince >= 0) computing.push([Math.max(from, a.runsSince), to])
      if (a === whole) break
    }
    const sleeping = this.sleeps.within(whole, from, to).filter(([, end]) => end < to)
    const computed = covered(computing)
    return { computed, waited: Math.max(0, to - from - covered([...computing, ...sleeping])) }
  }
}

/** The newest spans. */
class Ring {
  private readonly spans: Span[] = []
  private readonly size: number
  private next = 0

  constructor(size: number) {
    this.size = size
  }

  push(by: Activation, from: number, to: number): void {
    const { spans, next } = this
    if (spans.length < this.size) spans.push({ by, from, to })
    else {
      const span = spans[next]
      span.by = by
      span.from = from
      span.to = to
    }
    this.next = next + 1 === this.size ? 0 : next + 1
  }

  /** Those of an activation, and of those below it, as far as they lie between two moments. */
  within(whole: Activation, from: number, to: number): [number, number][] {
    const found: [number, number][] = []
    for (const span of this.spans)
      if (span.to > from && span.from < to && isBelow(span.by, whole))
        found.push([Math.max(from, span.from), Math.min(to, span.to)])
    return found
  }
}

function isBelow(activation: Activation, whole: Activation): boolean {
  let a: Activation | null = activation
  while (a !== null && a.depth > whole.depth) a = a.parent
  return a === whole
}

/** How much of the time several spans cover together. */
function covered(spans: [number, number][]): number {
  let sum = 0
  let until = -Infinity
  for (const [from, to] of spans.sort((a, b) => a[0] - b[0])) {
    if (to <= until) continue
    sum += to - Math.max(from, until)
    until = to
  }
  return sum
}
