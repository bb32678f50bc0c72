/** The few sentences that say what the figures mean; the same in the terminal and on the page. */
import { counted } from '../format/counted.ts'
import { isNative } from '../analysis/conflicts.ts'
import type { Figures } from '../analysis/figures.ts'
import { countBelow, quantile, type HistogramJson } from '../analysis/histogram.ts'
import { percent, time, whole } from './format.ts'

const share = (h: HistogramJson, limit: number): string => percent(countBelow(h, limit), h.count)

const COUNTS = { 2: 'two', 3: 'three', 4: 'four' }

const othersText = (n: number): string =>
  n === 0 ? 'no other continuation is' : `${whole(n)} or more other continuations are`

/** `a, b and c` */
const listed = (all: string[]): string => all.join(', ').replace(/, ([^,]*)$/, ' and $1')

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
      `one child; the largest number of children is ${whole(children.max)}.`,
  )
  const degree = concurrency.nonRecurringEdges
  say(
    'Concurrency',
    degree.count > 0,
    () =>
      `In half of the cases ${othersText(quantile(degree, 0.5))} already registered when one begins to run; ` +
      `in ${percent(degree.count - countBelow(degree, 10), degree.count)} there are 10 or more.`,
  )
  const { interrupted, uninterrupted } = gaps.nonRecurring
  const short = countBelow(interrupted, 10_000)
  const all = short + countBelow(uninterrupted, 10_000)
  say(
    'Gaps',
    all > 0,
    () =>
      `${counted(all, 'gap')} between non-recurring continuations ${all === 1 ? 'is' : 'are'} ` +
      `shorter than 10 ms. Such a gap looks atomic, but in ${percent(short, all)} something else ran.`,
  )
  say(
    'Chains',
    chains[2].count > 0,
    () =>
      `Less than 10 ms pass from the first to the last continuation in ${listed(
        ([2, 3, 4] as const)
          .filter((n) => chains[n].count > 0)
          .map((n) => `${share(chains[n], 10_000)} of the chains of ${COUNTS[n]}`),
      )}.`,
  )
  const batch = microtasks.durations
  say(
    'Microtasks',
    batch.count > 0,
    () =>
      `${percent(batch.count - countBelow(batch, 10_000), batch.count)} of ` +
      `${counted(batch.count, 'batch', 'batches')} ${batch.count === 1 ? 'takes' : 'take'} ` +
      `10 ms or more; the largest has ${counted(microtasks.counts.max, 'microtask')}, and the longest takes ` +
      `${time(batch.max)}.`,
  )
  const ten = subtrees.find((r) => r.limitMs === 10)
  say(
    'Subtrees',
    ten !== undefined && ten.total > 0,
    () =>
      `${counted(ten!.total, 'subtree fits', 'subtrees fit')} into 10 ms; ` +
      `${percent(ten!.linearL, ten!.total)} are linear, and in ${percent(ten!.interrupted, ten!.total)} ` +
      'something else ran.',
  )
  const { wrap, careful } = ranking.byAdvice
  const kept = isNative(f, undefined) ? 'kept whole by a lock' : 'wrapped in an atomic block'
  const never = ranking.byAdvice['do-not-wrap']
  say(
    'Advice',
    ranking.distinct > 0,
    () =>
      `Of ${whole(ranking.distinct)} distinct chains in the source, ${whole(wrap)} can be ${kept} without anybody ` +
      `noticing, ${whole(careful)} with care, and ${whole(never)} should not be.`,
  )
  return out
}
