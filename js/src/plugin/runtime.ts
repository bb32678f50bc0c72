/** charcoal-js/runtime is what transformed code calls. The build plugin writes these calls; nobody does by hand. */
import '../core/domain.ts'
import { isCall, type Call } from '../core/call.ts'
import { all } from '../ops/all.ts'
import { race } from '../ops/race.ts'
import { allSettled, any } from '../ops/settled.ts'

export { enter, leave, leaving, mustWait } from './block.ts'
export { ask, asked, DELEGATE, isPromise, run, YIELD } from './runtime/ask.ts'
export { bodyOf, given, go, goFlat, goPlain, nameless, own, owned, superOf, tell, told } from './runtime/go.ts'
export { $wait as wait } from './runtime/go.ts'
export { emit, emitAll, goGenerator } from './runtime/generator.ts'
export { Disposal } from './runtime/disposal.ts'
export { Iteration } from './runtime/iteration.ts'
export { pause } from '../core/spawn.ts'

type Combinator = 'all' | 'allSettled' | 'race' | 'any'
const STRUCTURED: Record<Combinator, (items: unknown[]) => Call<any>> = { all, allSettled, race, any }

/** `Promise[how](items)` as a structured operation, if there are calls among the items, and promises besides. */
function together(how: Combinator, items: Iterable<unknown>): Call<any> | Promise<unknown> {
  const list = [...items]
  const fits = list.some(isCall) && list.every((item) => isCall(item) || item instanceof Promise)
  return fits ? STRUCTURED[how](list) : Promise[how as 'all'](list)
}

/** What `Promise.all` and its like become where the items are made in place. */
const combinator = (how: Combinator) => (items: Iterable<unknown>) => together(how, items)
const [$all, $allSettled, $race, $any] = (['all', 'allSettled', 'race', 'any'] as const).map(combinator)
export { $all as all, $allSettled as allSettled, $race as race, $any as any }
