/**
 * What an operation has cost between two moments: how long it computed, and how long it waited for what comes from
 * outside, without the sleeps that the program asked for. Of the newest stretches in which somebody ran, and of the
 * newest sleeps, it is known whose they were.
 *
 * Times are microseconds.
 */
import type { Activation } from './flows.ts'
import { sorted } from './lists.ts'

const STRETCHES = 4096
const SLEEPS = 1024

interface Span {
  from: number
  to: number
}

interface OwnedSpan extends Span {
  by: Activation
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
    const spans: Span[] = []
    this.stretches.within(whole, from, to, spans)
    for (let a: Activation | null = running; a !== null; a = a.parent) {
      if (a.runsSince >= 0) spans[spans.length] = { from: Math.max(from, a.runsSince), to }
      if (a === whole) break
    }
    const computed = covered(spans)
    this.sleeps.within(whole, from, to, spans, true)
    return { computed, waited: Math.max(0, to - from - covered(spans)) }
  }
}

/** The newest spans. */
class Ring {
  private readonly spans: OwnedSpan[] = []
  private readonly size: number
  private next = 0

  constructor(size: number) {
    this.size = size
  }

  push(by: Activation, from: number, to: number): void {
    const { spans, next } = this
    if (spans.length < this.size) spans[spans.length] = { by, from, to }
    else {
      const span = spans[next]
      span.by = by
      span.from = from
      span.to = to
    }
    this.next = next + 1 === this.size ? 0 : next + 1
  }

  /**
   * Adds to `found` those of an activation, and of those below it, as far as they lie between two moments. `over`: only
   * those that end before the second.
   */
  within(whole: Activation, from: number, to: number, found: Span[], over = false): void {
    const { spans } = this
    for (let i = 0; i < spans.length; i++) {
      const span = spans[i]
      if (span.to > from && span.from < to && (!over || span.to < to) && isBelow(span.by, whole))
        found[found.length] = { from: Math.max(from, span.from), to: Math.min(to, span.to) }
    }
  }
}

function isBelow(activation: Activation, whole: Activation): boolean {
  let a: Activation | null = activation
  while (a !== null && a.depth > whole.depth) a = a.parent
  return a === whole
}

/** How much of the time several spans cover together. */
function covered(spans: Span[]): number {
  let sum = 0
  let until = -Infinity
  sorted(spans, (a, b) => a.from - b.from)
  for (let i = 0; i < spans.length; i++) {
    const { from, to } = spans[i]
    if (to <= until) continue
    sum += to - Math.max(from, until)
    until = to
  }
  return sum
}
