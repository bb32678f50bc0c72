/** Random programs: the library against the small reference interpreter, and its invariants under random schedules. */
import { test, ok, same } from './harness.ts'
import {
  asyncFn,
  spawn,
  atomic,
  finish,
  async,
  sleep,
  pause,
  channel,
  noncancellable,
  future,
  DeadlockError,
  type Channel,
  type Future,
  type Activity,
  type Scope,
  type Operation,
} from './lib.ts'
import { check, simulate, explore, random, StuckError } from '../src/dev/index.ts'
import { interpret, type Instruction, type Program } from './reference.ts'

/**
 * `rich`: with futures and cancel too, and waits inside blocks that may deadlock. `nested`: mostly blocks, branches and
 * sleeps. `scopes`: finish scopes around, in this activity.
 */
type Place = { atomic: boolean; finish: boolean; rich?: boolean; nested?: boolean; scopes?: number }

function generate(next: () => number, channels: number, depth: number, place: Place): Program {
  const pick = (n: number): number => Math.floor(next() * n)
  const program: Program = []
  for (let n = 1 + pick(4); n > 0; n--) {
    const body = (at: Partial<Place> = {}): Program => generate(next, channels, depth - 1, { ...place, ...at })
    const kinds: (() => Instruction)[] = [
      () => ({ op: 'log', what: pick(1000) }),
      () => ({ op: 'log', what: pick(1000) }),
      () => ({ op: 'sleep', ms: pick(5) }),
      () => ({ op: 'pause' }),
    ]
    // Inside a block a wait for what the block holds back would be a deadlock, which is another test's matter.
    const { rich = false, nested = false, scopes = 0 } = place
    if ((rich || !place.atomic) && channels > 0)
      kinds.push(
        () => ({ op: 'send', on: pick(channels), item: 1000 + pick(1000) }),
        () => ({ op: 'recv', on: pick(channels) }),
      )
    if (rich) {
      kinds.push(
        () => ({ op: 'set', on: pick(2) }),
        () => ({ op: 'get', on: pick(2) }),
        () => (pick(2) === 0 ? { op: 'kill', which: pick(5) } : { op: 'set', on: pick(2) }),
      )
      if (scopes > 0) kinds.push(() => ({ op: 'cancel', up: pick(scopes) }))
      if (depth > 0) kinds.push(() => ({ op: 'shield', body: body() }))
    }
    if (depth > 0)
      kinds.push(
        () => ({ op: 'call', body: body() }),
        () => ({ op: 'spawn', contained: false, body: body({ atomic: false, finish: true, scopes: 0 }) }),
        () => ({ op: 'spawn', contained: place.atomic, body: body({ finish: true, scopes: 0 }) }),
        () => ({ op: 'atomic', body: body({ atomic: true }) }),
        () => ({ op: 'finish', body: body({ finish: true, scopes: scopes + 1 }) }),
        () => (place.finish ? { op: 'async', body: body() } : { op: 'pause' }),
      )
    if (nested && depth > 0 && pick(2) === 0)
      kinds.splice(
        0,
        kinds.length,
        () => ({ op: 'atomic', body: body({ atomic: true }) }),
        () => (place.finish ? { op: 'async', body: [{ op: 'sleep', ms: 1 + pick(5) }, ...body()] } : { op: 'pause' }),
      )
    program.push(kinds[pick(kinds.length)]())
  }
  return program
}

interface World {
  log: (number | string)[]
  channels: Channel<number>[]
  futures: Future<void>[]
  spawned: Activity<any>[]
  /** Branches that have ended after the block that they were started in, while a block around that was open. */
  outlived: number
}

/** An atomic block of the running branch. */
interface Open {
  over: boolean
}

/** A wait that may be the one that a deadlock is reported at. */
function* waiting(world: World, clause: Operation<unknown>): Generator<unknown, void, any> {
  try {
    yield* clause
  } catch (error) {
    if (error instanceof DeadlockError) world.log.push('deadlock')
    throw error
  }
}

function* execute(
  program: Program,
  world: World,
  scopes: Scope[] = [],
  blocks: Open[] = [],
): Generator<unknown, void, any> {
  const call = asyncFn(execute)
  const branch = asyncFn(function* (body: Program) {
    yield* execute(body, world, scopes, blocks)
    const [outer, inner] = blocks.slice(-2)
    if (inner?.over && !outer.over) world.outlived++
  })
  const { log, channels, futures, spawned } = world
  for (const i of program)
    switch (i.op) {
      case 'log':
        log.push(i.what)
        break
      case 'call':
        yield* call(i.body, world, scopes, blocks)
        break
      case 'sleep':
        yield* sleep(i.ms)
        break
      case 'pause':
        yield* pause()
        break
      case 'send': {
        // The receiver's log entry is made when the value is handed over, as in the reference.
        yield* waiting(world, channels[i.on].send(i.item))
        break
      }
      case 'recv':
        yield* waiting(world, channels[i.on].recv())
        break
      case 'spawn':
        spawned.push(spawn(call(i.body, world), { contained: i.contained }))
        break
      case 'atomic': {
        const block = { over: false }
        try {
          yield* atomic(call(i.body, world, scopes, [...blocks, block]))
        } finally {
          block.over = true
        }
        break
      }
      case 'finish':
        yield* finish((scope) => call(i.body, world, [...scopes, scope], blocks))
        break
      case 'async':
        yield* async(branch(i.body))
        break
      case 'shield':
        yield* noncancellable(call(i.body, world, scopes, blocks))
        break
      case 'set':
        futures[i.on].set()
        break
      case 'get':
        yield* waiting(world, futures[i.on].get())
        break
      case 'cancel':
        scopes[scopes.length - 1 - i.up].cancel()
        break
      case 'kill':
        spawned[i.which % Math.max(1, spawned.length)]?.cancel()
        break
    }
}

/** A channel that logs every hand-over at the moment when it happens. */
function logged(capacity: number, log: (number | string)[]): Channel<number> {
  const ch = channel<number>(capacity)
  const { take, put } = ch
  ch.take = (recv) => {
    const took = take.call(ch, recv)
    if (took) log.push(recv.outcome)
    return took
  }
  ch.put = (send) => {
    const hadReceiver = ch.receivers.head !== null
    const done = put.call(ch, send)
    if (done && hadReceiver) log.push(send.item)
    return done
  }
  return ch
}

/** Several branches of one activity may each wait for ever in its block. */
function isDeadlock(error: unknown): boolean {
  return error instanceof AggregateError ? error.errors.every(isDeadlock) : error instanceof DeadlockError
}

async function library(
  program: Program,
  capacities: number[],
  decide?: (n: number) => number,
  tell: (world: World) => void = () => {},
): Promise<(number | string)[]> {
  const log: (number | string)[] = []
  const channels = capacities.map((c) => logged(c, log))
  const world: World = { log, channels, futures: [future(), future()], spawned: [], outlived: 0 }
  try {
    await simulate(() => execute(program, world), { decide, idleTimeout: 0 })
  } catch (error) {
    if (error instanceof StuckError) log.push('stuck')
    else if (!isDeadlock(error)) throw error
  }
  tell(world)
  // After a deadlock the program is another one than the reference's, which ends there.
  if (log.includes('deadlock')) return log.slice(0, log.indexOf('deadlock') + 1)
  for (const ch of channels) check(ch)
  return log
}

const ROUNDS = Number((globalThis as any).process?.env.CHARCOAL_ROUNDS ?? 2000)

test(`random programs do what the reference interpreter says`, async () => {
  const next = random(Number((globalThis as any).process?.env.CHARCOAL_SEED ?? 7))
  let stuck = 0
  let long = 0
  for (let round = 0; round < ROUNDS; round++) {
    const capacities = [0, Math.floor(next() * 3)]
    const program = generate(next, capacities.length, 4, { atomic: false, finish: true })
    const want = interpret(program, capacities)
    const got = await library(program, capacities)
    same(got, want, `round ${round}, program ${JSON.stringify(program)}, capacities ${JSON.stringify(capacities)}`)
    if (want.includes('stuck')) stuck++
    if (want.length > 8) long++
  }
  ok(
    stuck > ROUNDS / 100 && stuck < ROUNDS * 0.9 && long > ROUNDS / 20,
    `the programs are worth running: ${stuck} stuck, ${long} long of ${ROUNDS}`,
  )
})

test('random programs with futures, cancel and deadlocks do what the reference interpreter says', async () => {
  const next = random(Number((globalThis as any).process?.env.CHARCOAL_SEED ?? 8))
  const seen = new Map<string, number>()
  const note = (what: string): void => void seen.set(what, (seen.get(what) ?? 0) + 1)
  for (let round = 0; round < ROUNDS; round++) {
    const capacities = [0, Math.floor(next() * 3)]
    const program = generate(next, capacities.length, 4, { atomic: false, finish: true, rich: true })
    const want = interpret(program, capacities)
    const got = await library(program, capacities)
    same(got, want, `round ${round}, program ${JSON.stringify(program)}, capacities ${JSON.stringify(capacities)}`)
    const last = String(want[want.length - 1])
    note(/stuck|deadlock/.test(last) ? last : 'ended')
    if (/"(cancel|kill)"/.test(JSON.stringify(program))) note('cancel')
  }
  for (const what of ['stuck', 'deadlock', 'ended', 'cancel'])
    ok(seen.get(what)! > ROUNDS / 20, `${what}: ${seen.get(what)} of ${ROUNDS}`)
})

test('random programs whose branches outlive nested blocks do what the reference interpreter says', async () => {
  const next = random(Number((globalThis as any).process?.env.CHARCOAL_SEED ?? 9))
  let outlived = 0
  for (let round = 0; round < ROUNDS; round++) {
    const program = generate(next, 1, 4, { atomic: false, finish: true, nested: true, rich: round % 2 === 1 })
    const want = interpret(program, [0])
    const got = await library(program, [0], undefined, (world) => (outlived += world.outlived))
    same(got, want, `round ${round}, program ${JSON.stringify(program)}`)
  }
  ok(outlived > ROUNDS / 40, `branches that outlived a nested block: ${outlived} in ${ROUNDS} programs`)
})

test('random programs under random schedules log the same if they share nothing', async () => {
  const next = random(11)
  let reordered = 0
  for (let round = 0; round < 60; round++) {
    // No channels: then every schedule logs the same things, in some order.
    const program = generate(next, 0, 4, { atomic: true, finish: true })
    const want = interpret(program, []).map(String).sort()
    for (let i = 0; i < 15; i++) {
      const got = await library(program, [], (n) => (next() < 0.4 ? Math.floor(next() * n) : 0))
      if (got.join() !== interpret(program, []).join()) reordered++
      same(got.map(String).sort(), want, JSON.stringify(program))
    }
  }
  ok(reordered > 100, `the schedules differ: ${reordered}`)
})

test('atomic blocks are never interleaved, whatever the schedule', async () => {
  const seen = await explore(
    function* () {
      const log: string[] = []
      const worker = asyncFn(function* (name: string) {
        for (let i = 0; i < 2; i++) {
          yield* atomic(function* () {
            log.push(`<${name}`)
            yield* pause()
            yield* sleep(1)
            spawn(
              function* () {
                log.push('.')
              },
              { contained: i === 1 },
            )
            log.push(`${name}>`)
          })
          yield* pause()
        }
      })
      const all = ['a', 'b', 'c'].map((n) => spawn(worker(n)))
      for (const a of all) yield* a
      return log.join('')
    },
    { schedules: 300 },
  )
  for (const log of seen.outcomes.keys()) ok(/^"((<a\.?a>)|(<b\.?b>)|(<c\.?c>)|\.)*"$/.test(log), log)
  ok(seen.outcomes.size > 10, `only ${seen.outcomes.size} different orders`)
})
