/** The few sentences that say what the figures mean; the same in the terminal and on the page. */
import type { Figures } from '../analysis/figures.ts'
import { countBelow, quantile, type HistogramJson } from '../analysis/histogram.ts'
import { percent, time, whole } from './format.ts'

const share = (h: HistogramJson, limit: number): string => percent(countBelow(h, limit), h.count)

export function insights(f: Figures): { topic: string; text: string }[] {
  const { durations, gaps, chains, concurrency, branching, microtasks, ranking, subtrees } = f
  const out: { topic: string; text: string }[] = []
  const say = (topic: string, condition: boolean, text: () => string): void => {
    if (condition) out.push({ topic, text: text() })
  }
  const turns = durations.turns.all
  say(
    'Durations',
    turns.count > 0,
    () =>
      `${share(turns, 1000)} of the continuations take less than 1 ms, half less than ` +
      `${time(quantile(turns, 0.5))}; the longest takes ${time(turns.max)}.`,
  )
  const children = branching.children.nonRecurring
  say(
    'Branching',
    children.count > 0,
    () =>
      `${percent(countBelow(children, 2), children.count)} of the non-recurring continuations have at most ` +
      `one child; the most has ${whole(children.max)}.`,
  )
  const degree = concurrency.nonRecurringEdges
  say(
    'Concurrency',
    degree.count > 0,
    () =>
      `While a continuation runs, half the time ${whole(quantile(degree, 0.5))} or more other registered ones ` +
      `are still to come; ${percent(degree.count - countBelow(degree, 10), degree.count)} run with 10 or ` +
      'more.',
  )
  const { interrupted, uninterrupted } = gaps.nonRecurring
  const short = countBelow(interrupted, 10_000)
  const all = short + countBelow(uninterrupted, 10_000)
  say(
    'Gaps',
    all > 0,
    () =>
      `${whole(all)} gaps between non-recurring continuations are shorter than 10 ms; ${percent(short, all)} ` +
      'of these were interrupted: they looked atomic, and were not.',
  )
  say(
    'Chains',
    chains[2].count > 0,
    () =>
      `${share(chains[2], 10_000)} of the chains of two, ${share(chains[3], 10_000)} of three and ` +
      `${share(chains[4], 10_000)} of four take less than 10 ms.`,
  )
  const batch = microtasks.durations
  say(
    'Microtasks',
    batch.count > 0,
    () =>
      `${whole(batch.count)} batches, ${percent(batch.count - countBelow(batch, 10_000), batch.count)} of 10 ` +
      `ms or more; the largest has ${whole(microtasks.counts.max)} microtasks, the longest takes ` +
      `${time(batch.max)}.`,
  )
  const ten = subtrees.find((r) => r.limitMs === 10)
  say(
    'Subtrees',
    ten !== undefined && ten.total > 0,
    () =>
      `${whole(ten!.total)} subtrees fit in 10 ms, ${percent(ten!.linearL, ten!.total)} of them linear; into ` +
      `${percent(ten!.interrupted, ten!.total)} something else did run.`,
  )
  const { wrap, careful } = ranking.byAdvice
  const never = ranking.byAdvice['do-not-wrap']
  say(
    'Advice',
    ranking.distinct > 0,
    () =>
      `Distinct chains in the source: ${whole(ranking.distinct)}. To be wrapped in atomic without being felt: ` +
      `${whole(wrap)}; with care: ${whole(careful)}; not at all: ${whole(never)}.`,
  )
  return out
}
