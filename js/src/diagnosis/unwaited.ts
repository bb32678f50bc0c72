/**
 * `finish(…)` without `yield*` in front of it does nothing, and nobody can know it before the operation is garbage:
 * then it is said, with the place, while `develop()` is in force.
 */
import { domain } from '../core/current.ts'

type Gen = Generator<unknown, any, any>

const watch = new FinalizationRegistry<{ name: string; place: string }>(({ name, place }) => {
  const remedy = 'write yield* in front of it, or await in legacy code'
  console.warn(`charcoal: nobody has waited for ${name}(…), so it has done nothing: ${remedy}\n${place}`)
})

/** What stands for an operation of several steps that was just made. */
export function made(op: Gen): Gen {
  if (domain.site === null) return op
  // The stack is this function, `steps`, the public function, its caller.
  const [name = '', place = ''] = (new Error().stack ?? '').split('\n').slice(3)
  const key = {}
  const watched = begins(op, key)
  watch.register(watched, { name: /at (?:[\w$]+\.)?([\w$]+) /.exec(name)?.[1] ?? 'an operation', place }, key)
  return watched
}

function* begins(op: Gen, key: object): Gen {
  watch.unregister(key)
  return yield* op
}
