/** Structured operations in one another end when, and with what, a calculation says, however they are cancelled. */
import { ok, same, test } from './harness.ts'
import { async, Cancelled, DeadlineError, finish, noncancellable, sleep, spawn, type Operation } from './lib.ts'
import { all, allSettled, any, map, race, retry, timeout, use } from '../src/ops.ts'
import { random, simulate } from '../src/dev/index.ts'
import { ASYNC_DISPOSE } from '../src/core/dispose.ts'
import { endOf, randomTree, sorted, type End, type Tree, type Value } from './operations.ts'

/** The names of the leaves that have failed. */
function namesOf(error: any): string[] {
  if (error instanceof AggregateError) return sorted(error.errors.flatMap(namesOf))
  if (error instanceof DeadlineError) return ['late']
  return [error instanceof Cancelled ? 'a cancel' : error.message]
}

function abortedAfter(ms: number): AbortSignal {
  const controller = new AbortController()
  setTimeout(() => controller.abort(new Error('abort')), ms)
  return controller.signal
}

/** `leaf` is told of each leaf that begins, 1, and that ends, -1. */
function* run(tree: Tree, leaf: (by: 1 | -1) => void): Generator<unknown, Value, any> {
  const options = 'abort' in tree && tree.abort < Infinity ? { signal: abortedAfter(tree.abort) } : undefined
  const begin = (item: Tree) => (): Operation<Value> => run(item, leaf)
  switch (tree.op) {
    case 'leaf':
      leaf(1)
      try {
        yield* sleep(tree.ms)
        if (tree.fails) throw new Error(tree.name)
        return tree.name
      } finally {
        if (tree.cleanup > 0) yield* noncancellable(sleep(tree.cleanup))
        leaf(-1)
        if (tree.cleanupFails) throw new Error(`${tree.name} cleanup`)
      }
    case 'all':
      return yield* all(tree.items.map(begin), options)
    case 'race':
      return yield* race(tree.items.map(begin), options)
    case 'any':
      return yield* any(tree.items.map(begin), options)
    case 'allSettled': {
      const results = yield* allSettled(tree.items.map(begin), options)
      return results.map((r) => (r.status === 'fulfilled' ? [r.status, r.value] : [r.status, namesOf(r.reason)]))
    }
    case 'branches': {
      const handles: { value: Value }[] = []
      yield* finish(function* () {
        for (const item of tree.items) handles.push(yield* async(begin(item)))
      })
      return handles.map((handle) => handle.value)
    }
    case 'sequence': {
      let value: Value = ''
      for (const item of tree.items) value = yield* run(item, leaf)
      return value
    }
    case 'map':
      return yield* map(tree.items, (item) => run(item, leaf), { ...options, limit: tree.limit })
    case 'retry': {
      const { items, delay } = tree
      return yield* retry((attempt) => run(items[attempt - 1], leaf), { ...options, attempts: items.length, delay })
    }
    case 'timeout': {
      const { ms, item, otherwise } = tree
      return otherwise === null
        ? yield* timeout(ms, begin(item), { ...options })
        : yield* timeout(ms, begin(item), { ...options, otherwise: begin(otherwise) })
    }
    case 'use': {
      const { resource, body, disposal } = tree
      const acquire = function* (): Generator<unknown, { [ASYNC_DISPOSE](): unknown }, any> {
        yield* run(resource, leaf)
        return { [ASYNC_DISPOSE]: () => sleep(disposal) }
      }
      return yield* use(acquire as never, () => run(body, leaf), options)
    }
  }
}

/** What becomes of an activity that runs the operation and is cancelled at that time. */
function outcome(tree: Tree, cancel: number, next: () => number): Promise<{ end: End; open: number }> {
  return simulate(
    function* () {
      const start = performance.now()
      let open = 0
      const task = spawn(() => run(tree, (by) => (open += by)))
      if (cancel < Infinity)
        spawn(function* () {
          yield* sleep(cancel)
          task.cancel()
        })
      let end: End | undefined
      try {
        const value = yield* task
        end = { at: performance.now() - start, value }
      } catch (error) {
        const at = performance.now() - start
        end = task.state === 'cancelled' ? { at, cancelled: true } : { at, errors: namesOf(error) }
      }
      return { end, open }
    },
    { decide: (options) => Math.floor(next() * options) },
  )
}

const { CHARCOAL_ROUNDS, CHARCOAL_SEED } = (globalThis as any).process?.env ?? {}

test('random structured operations end when and with what a calculation says, however they are cancelled', async () => {
  const next = random(Number(CHARCOAL_SEED ?? 11))
  const rounds = Number(CHARCOAL_ROUNDS ?? 1000)
  const seen: Record<string, number> = {}
  for (let round = 0; round < rounds; round++) {
    const tree = randomTree(next, 1 + (round % 4))
    const whole = endOf(tree, 0, Infinity).at
    // Half a step away from all that happens.
    const cancel = round % 3 === 0 ? Infinity : Math.floor(next() * whole * 2 ** 16) / 2 ** 16 + 2 ** -17
    const want = endOf(tree, 0, cancel)
    const { end, open } = await outcome(tree, cancel, next)
    const which = `round ${round}, cancelled at ${cancel}, ${JSON.stringify(tree)}`
    same(end, want, which)
    same(open, 0, which)
    const kind = Object.keys(want)[1]
    seen[kind] = (seen[kind] ?? 0) + 1
  }
  for (const kind of ['value', 'errors', 'cancelled'])
    ok(seen[kind] > rounds / 10, `${kind}: ${seen[kind]} of ${rounds}`)
})
