/** The twelve laws of DESIGN.md, section 1, each by its name. */
import { test, ok, same, rejects } from './harness.ts'
import {
  asyncFn,
  spawn,
  atomic,
  finish,
  async,
  sleep,
  wait,
  self,
  channel,
  Cancelled,
  DeadlockError,
  waituntil,
  when,
  pause,
  noncancellable,
  local,
  rendezvous,
  future,
  mutex,
  semaphore,
  inAtomic,
  deadline,
  describeActivities,
  count,
} from './lib.ts'
import { domain } from '../src/core/current.ts'
import { check, explore, simulate, assertNoYield, assertYields } from '../src/dev/index.ts'

const step = asyncFn(function* (log: string[], what: string) {
  log.push(what)
})

test('law 1: yield points interleave activities, blocking points interleave branches', async () => {
  const seen = await explore(
    function* () {
      const log: string[] = []
      const other = spawn(function* () {
        log.push('other')
      })
      yield* finish(function* () {
        yield* async(function* () {
          yield* step(log, 'a1')
          yield* step(log, 'a2')
        })
        yield* step(log, 'b1')
      })
      yield* other
      return log.join(' ')
    },
    { schedules: 'all' },
  )
  // Serial elision: whatever the schedule, the branches of one activity that do not block run in the order of the text.
  for (const log of seen.outcomes.keys())
    ok(
      log.replace('other', '').includes('a1') &&
        log.indexOf('a2') < log.indexOf('b1') &&
        log.indexOf('a1') < log.indexOf('a2'),
      log,
    )
  // And the other activity was seen in between.
  ok(
    [...seen.outcomes.keys()].some((l) => /a1 other a2/.test(l)),
    'no schedule set the activity aside between the calls of one branch',
  )
})

test('law 1: an activity that is set aside resumes exactly there, before any sibling branch', async () => {
  const seen = await explore(
    function* () {
      const log: string[] = []
      const gate = future<void>()
      const other = spawn(function* () {
        gate.set()
        yield* step(log, 'x')
      })
      yield* finish(function* () {
        yield* async(function* () {
          yield* gate.get()
          log.push('sibling')
        })
        log.push('<')
        yield* step(log, 'mid')
        log.push('>')
      })
      yield* other
      return log.join('')
    },
    { schedules: 'all' },
  )
  for (const log of seen.outcomes.keys()) ok(/<x?midx?>/.test(log), `a sibling ran at a yield point: ${log}`)
  ok(
    [...seen.outcomes.keys()].some((l) => l.includes('<xmid') || l.includes('midx>')),
    'never set aside',
  )
})

test('law 2: a blocked branch gives way to the nearest continuation, then ready branches, then others', function* () {
  const log: string[] = []
  const other = spawn(function* () {
    log.push('other')
  })
  const f = future<void>()
  const g = future<void>()
  yield* finish(function* () {
    yield* async(function* () {
      yield* async(function* () {
        log.push('inner')
        yield* f.get()
        log.push('inner2')
      })
      log.push('middle')
      yield* g.get()
      log.push('middle2')
    })
    log.push('outer')
    f.set()
    g.set()
    log.push('set')
  })
  yield* other
  same(log, ['inner', 'middle', 'outer', 'set', 'inner2', 'middle2', 'other'])
})

test('law 3: finish returns when, and only when, every branch started inside it has ended', function* () {
  const log: string[] = []
  yield* finish(function* () {
    yield* async(function* () {
      yield* sleep(10)
      log.push('slow')
      yield* async(function* () {
        yield* sleep(10)
        log.push('nested')
      })
    })
    yield* async(function* () {
      log.push('quick')
    })
    log.push('body')
  })
  log.push('after')
  same(log, ['quick', 'body', 'slow', 'nested', 'after'])
})

test('law 3: an activity has an implicit finish around its body', function* () {
  const log: string[] = []
  const a = spawn(function* () {
    yield* async(function* () {
      yield* sleep(5)
      log.push('branch')
    })
    return 'body'
  })
  same(yield* a, 'body')
  same(log, ['branch'])
})

test('law 4: cancel marks the scope it names and those nested in it; later scopes inherit the mark', function* () {
  const log: string[] = []
  const got = yield* finish(function* (outer) {
    yield* async(function* () {
      yield* finish(function* () {
        try {
          yield* sleep(1000)
        } catch (error) {
          log.push((error as Error).name)
          try {
            yield* finish(function* () {
              yield* sleep(1)
            })
          } catch {
            log.push('inherited')
          }
          throw error
        }
      })
    })
    outer.cancel()
    return 'body'
  })
  same(got, 'body')
  same(log, ['Cancelled', 'inherited'])
})

test('law 4: cancelled exactly: an operation is cancelled without effect, or done and says so', async () => {
  const seen = await explore(
    function* () {
      const ch = channel<number>(0)
      let got = 'nothing' as number | string
      const receiver = spawn(function* () {
        try {
          got = yield* ch.recv()
        } catch (error) {
          got = error instanceof Cancelled ? 'cancelled' : String(error)
        }
      })
      let sent = false
      const sender = spawn(function* () {
        sent = ch.trySend(7)
      })
      const killer = spawn(function* () {
        receiver.cancel()
      })
      yield* sender
      yield* killer
      try {
        yield* receiver
      } catch (error) {
        ok(error instanceof Cancelled)
        if (got === 'nothing') got = 'not begun'
      }
      ok((got === 7) === sent, `got ${got}, sent ${sent}`)
      return got
    },
    { schedules: 'all' },
  )
  for (const want of ['7', '"cancelled"', '"not begun"'])
    ok(seen.outcomes.has(want), `outcome ${want} never occurred: ${[...seen.outcomes.keys()]}`)
})

test('law 4: inside noncancellable the mark is not seen', function* () {
  const log: string[] = []
  const a = spawn(function* () {
    try {
      yield* sleep(1000)
    } finally {
      yield* noncancellable(function* () {
        yield* sleep(5)
        log.push('cleaned up')
      })
      try {
        yield* sleep(1)
      } catch {
        log.push('seen again')
      }
    }
  })
  yield* sleep(1)
  a.cancel()
  try {
    yield* a
  } catch (error) {
    ok(error instanceof Cancelled)
  }
  same(log, ['cleaned up', 'seen again'])
  same(a.state, 'cancelled')
})

test('law 5: atomic suppresses every switch in its dynamic extent', async () => {
  const program = (guard: boolean) =>
    function* () {
      let shared = 0
      const add = asyncFn(function* () {
        const before = shared
        yield* wait(Promise.resolve())
        shared = before + 1
      })
      const body = guard ? () => atomic(add) : add
      const a = spawn(body)
      const b = spawn(body)
      yield* a
      yield* b
      return shared
    }
  const with_ = await explore(program(true), { schedules: 200 })
  same([...with_.outcomes.keys()], ['2'])
  const without = await explore(program(false), { schedules: 200 })
  ok(without.outcomes.has('1'), 'without atomic the lost update never occurred')
})

test('law 5: atomic is left properly by return, throw and cancel', function* () {
  const f = asyncFn(function* () {
    yield* atomic(function* () {
      throw new Error('out')
    })
  })
  try {
    yield* f()
  } catch (error) {
    same(String(error), 'Error: out')
  }
  ok(!inAtomic(), 'still inside after a throw')
  const a = spawn(function* () {
    yield* atomic(function* () {
      yield* sleep(1000)
    })
  })
  yield* pause()
  yield* sleep(0)
  a.cancel()
  try {
    yield* a
  } catch (error) {
    ok(error instanceof Cancelled)
  }
  ok(!inAtomic(), 'still inside after a cancel')
  same(
    yield* spawn(function* () {
      return 'runs'
    }),
    'runs',
  )
})

test('law 5: a deadlock in an atomic block is reported, and names the spawn to mark', async () => {
  const error = await simulate(function* () {
    try {
      yield* atomic(function* () {
        const child = spawn(function* () {}, { name: 'helper' })
        yield* child
      })
    } catch (e) {
      return e
    }
    return undefined
  })
  ok(error instanceof DeadlockError)
  ok(
    /main waits for join\(helper\)/.test(error.message) && /spawn it with \{ contained: true \}/.test(error.message),
    error.message,
  )
})

test('law 5: a block that waits for a lock which a held activity has is reported', async () => {
  const error = await rejects(
    simulate(function* () {
      const lock = mutex('ledger')
      const holder = spawn(
        function* () {
          const permit = yield* lock.acquire()
          yield* sleep(10)
          permit.release()
        },
        { name: 'holder' },
      )
      yield* sleep(1)
      yield* atomic(function* () {
        yield* lock.acquire()
      })
      yield* holder
    }),
    /deadlock in an atomic block/,
  )
  ok(/acquire\(ledger\)/.test(error.message) && /holder is kept from running/.test(error.message), error.message)
})

test('law 5: a block that nobody can help is reported after the grace time', async () => {
  await rejects(
    simulate(function* () {
      yield* atomic(function* () {
        yield* channel<number>(0, 'nobody').recv()
      })
    }),
    /DeadlockError.*recv\(nobody\)/s,
  )
})

test('law 5: the grace time begins anew when the block has moved', async () => {
  const help = (at: number, f: () => void): unknown => domain.host.timer(f, at)
  same(
    await simulate(function* () {
      const ch = channel<number>(0, 'helped')
      // Legacy code helps twice, each time within the grace of a second.
      help(700, () => ch.trySend(1))
      help(1400, () => ch.trySend(2))
      return yield* atomic(function* () {
        return [yield* ch.recv(), yield* ch.recv()]
      })
    }),
    [1, 2],
  )
})

test('law 5: a deadlock is reported at a wait, not at the end of a finish that waits for it', async () => {
  const log: string[] = []
  await rejects(
    simulate(function* () {
      yield* atomic(function* () {
        yield* finish(function* () {
          yield* async(function* () {
            try {
              yield* channel<number>(0, 'never').recv()
            } catch (error) {
              log.push((error as Error).name)
              throw error
            }
          })
        })
      })
    }),
    /DeadlockError.*recv\(never\)/,
  )
  same(log, ['DeadlockError'])
})

test('law 6: contained within contained: the inner one holds the outer one open, and that one the block', function* () {
  const log: string[] = []
  const outside = spawn(function* () {
    log.push('outside')
  })
  yield* atomic(function* () {
    spawn(
      function* () {
        yield* atomic(function* () {
          spawn(
            function* () {
              yield* sleep(5)
              log.push('inner')
            },
            { contained: true },
          )
          spawn(
            function* () {
              yield* sleep(1)
              log.push('sibling')
            },
            { contained: true },
          )
        })
        log.push('middle')
        spawn(
          function* () {
            yield* sleep(5)
            log.push('late')
          },
          { contained: true },
        )
      },
      { contained: true },
    )
  })
  log.push('after')
  yield* outside
  same(log, ['sibling', 'inner', 'middle', 'late', 'outside', 'after'])
})

test('law 6: an activity spawned inside atomic is delayed until the outermost block has ended', function* () {
  const log: string[] = []
  let a
  yield* atomic(function* () {
    yield* atomic(function* () {
      a = spawn(function* () {
        log.push('delayed')
      })
      yield* sleep(5)
    })
    log.push('inner ended')
    yield* sleep(5)
    log.push('outer ends')
  })
  yield* a!
  same(log, ['inner ended', 'outer ends', 'delayed'])
})

test('law 6: a contained activity runs inside and the block does not end before it', function* () {
  const log: string[] = []
  const outsider = spawn(function* () {
    for (let i = 0; i < 3; i++) {
      log.push('outsider')
      yield* pause()
    }
  })
  yield* atomic(function* () {
    const c = spawn(
      function* () {
        log.push('contained')
        yield* sleep(5)
        log.push('contained ends')
      },
      { contained: true },
    )
    void c
    log.push('body ends')
  })
  log.push('block ended')
  yield* outsider
  same(log, ['body ends', 'contained', 'contained ends', 'outsider', 'block ended', 'outsider', 'outsider'])
})

test('law 6: blocks nest as a stack of sets', function* () {
  const log: string[] = []
  yield* atomic(function* () {
    const c = spawn(
      function* () {
        yield* atomic(function* () {
          log.push('c in')
          yield* sleep(5)
          log.push('c out')
        })
      },
      { contained: true },
    )
    const d = spawn(
      function* () {
        log.push('d')
        yield* sleep(1)
        log.push('d2')
      },
      { contained: true },
    )
    yield* c
    yield* d
  })
  same(log, ['c in', 'c out', 'd', 'd2'])
})

test('law 6: a branch that is ready while the block waits for contained activities goes on after it', function* () {
  const log: string[] = []
  const go = future<void>()
  const a = spawn(function* () {
    yield* atomic(function* () {
      yield* async(function* () {
        yield* go.get()
        log.push('branch')
      })
      spawn(
        function* () {
          go.set()
          log.push('contained')
        },
        { contained: true },
      )
    })
    log.push('after')
  })
  yield* a
  same(log, ['contained', 'after', 'branch'])
})

test('law 7: spawn queues, async starts', function* () {
  const log: string[] = []
  const a = spawn(function* () {
    log.push('spawned')
  })
  log.push('after spawn')
  yield* async(function* () {
    log.push('async')
  })
  log.push('after async')
  yield* a
  same(log, ['after spawn', 'async', 'after async', 'spawned'])
})

test('law 7: spawned activities start first in, first out; arguments are evaluated by the spawner', function* () {
  const log: number[] = []
  const put = asyncFn(function* (n: number) {
    log.push(n)
  })
  let n = 1
  const all = [spawn(put(n++)), spawn(put(n++)), spawn(put(n++))]
  n = 99
  for (const a of all) yield* a
  same(log, [1, 2, 3])
})

test('law 8: a blocked branch is on one list for each clause, and losers leave before it is ready', function* () {
  const a = channel<number>()
  const b = channel<number>()
  const w = spawn(function* () {
    return yield* waituntil(a.recv()).or(b.recv())
  })
  yield* sleep(1)
  same([count(a.receivers), count(b.receivers)], [1, 1])
  ok(a.trySend(5))
  same([count(a.receivers), count(b.receivers)], [0, 0], 'withdrawn at once')
  ok(!b.trySend(6), 'the loser takes nothing')
  same(yield* w, 5)
})

test('law 8: nothing polls: a blocked activity takes no steps', function* () {
  const never = channel<number>()
  const a = spawn(function* () {
    yield* never.recv()
  })
  yield* sleep(1e9)
  ok(/blocked on recv/.test(describeActivities()), describeActivities())
  a.cancel()
})

test('law 9: with or alone exactly one body runs; the first ready clause in textual order wins', function* () {
  const a = channel<string>(1)
  const b = channel<string>(1)
  yield* a.send('a')
  yield* b.send('b')
  const log: string[] = []
  yield* waituntil(b.recv().do((v) => void log.push(v))).or(a.recv().do((v) => void log.push(v)))
  same(log, ['b'])
  same([a.size, b.size], [1, 0])
})

test('law 9: and runs each body as its clause becomes ready, and binds tighter than or', function* () {
  const [a, b, c] = ['a', 'b', 'c'].map((n) => channel<string>(0, n))
  const log: string[] = []
  const body = (v: string) => void log.push(v)
  const w = spawn(function* () {
    yield* waituntil(a.recv().do(body)).or(b.recv().do(body)).and(c.recv().do(body))
    log.push('done')
  })
  yield* sleep(1)
  ok(b.trySend('b'))
  yield* sleep(1)
  same(log, ['b'])
  ok(c.trySend('c'))
  yield* w
  same(log, ['b', 'c', 'done'])
  ok(!a.trySend('x'), 'a was withdrawn')
})

test('law 9: parentheses group', function* () {
  const [a, b, c] = ['a', 'b', 'c'].map((n) => channel<string>(0, n))
  const log: string[] = []
  const body = (v: string) => void log.push(v)
  const w = spawn(function* () {
    yield* waituntil(waituntil(a.recv().do(body)).or(b.recv().do(body))).and(c.recv().do(body))
  })
  yield* sleep(1)
  ok(a.trySend('a'))
  ok(!b.trySend('b'), 'b is not needed any more')
  yield* sleep(1)
  ok(c.trySend('c'))
  yield* w
  same(log, ['a', 'c'])
})

test('law 9: when(false) removes a clause and the operator before it', function* () {
  const [a, b, c] = ['a', 'b', 'c'].map((n) => channel<string>(0, n))
  const log: string[] = []
  const body = (v: string) => void log.push(v)
  const w = spawn(function* () {
    // a or [b] and c  ==  a and c
    yield* waituntil(a.recv().do(body))
      .or(when(false, b.recv().do(body)))
      .and(c.recv().do(body))
  })
  yield* sleep(1)
  ok(a.trySend('a'))
  yield* sleep(1)
  same(w.state, 'running')
  ok(c.trySend('c'))
  yield* w
  same(log, ['a', 'c'])
})

test('law 9: else makes it non-blocking; all guards false run else, or nothing', function* () {
  const a = channel<number>(1)
  same(yield* waituntil(a.recv()).else(() => 'else'), 'else')
  yield* a.send(1)
  same(yield* waituntil(a.recv()).else(() => 'else'), 1)
  same(yield* waituntil(when(false, a.recv())).else(() => 'else'), 'else')
  same(yield* waituntil(when(false, a.recv())), undefined)
})

test('law 10: an event is triggered at most once; a rendezvous hands events over in trigger order', function* () {
  yield* rendezvous<string, number>(function* (r) {
    const x = r.event('x')
    const y = r.event('y')
    ok(y(2))
    ok(x.trigger(1))
    ok(!y(3), 'a second trigger is ignored')
    same(
      [yield* r.next(), yield* r.next()],
      [
        { id: 'y', value: 2 },
        { id: 'x', value: 1 },
      ],
    )
    same(r.outstanding, 0)
  })
})

test('law 10: leaving the scope that owns a rendezvous cancels what is outstanding on it', function* () {
  let late: any
  yield* rendezvous<string, number>(function* (r) {
    late = r.event('late')
  })
  same(late.state, 'cancelled')
  ok(!late(1))
})

test('law 11: without the constructs a program means the same, as far as it does not depend on overlap', function* () {
  // The constructs removed: atomic and async and finish just run their body, spawn runs it at once.
  const constructs = { atomic, finish, async, spawn } as const
  const removed = {
    atomic: (b: () => Generator) => b(),
    finish: (b: () => Generator) => b(),
    async: function* (b: () => Generator) {
      yield* b()
    },
    spawn: (b: () => Generator) => b(),
  }
  const program = function* (c: any): Generator<unknown, number[], any> {
    const out: number[] = []
    yield* c.finish(function* () {
      for (const i of [1, 2, 3])
        yield* c.async(function* () {
          yield* c.atomic(function* () {
            out.push(i)
          })
        })
    })
    yield* c.spawn(function* () {
      out.push(4)
    })
    return out
  }
  same(yield* program(constructs), yield* program(removed))
})

test('law 12: what belongs to the branch survives every switch', async () => {
  await explore(
    function* () {
      const errno = local(0)
      const work = asyncFn(function* (n: number) {
        errno.value = n
        yield* step([], '')
        yield* pause()
        same(errno.value, n)
        yield* sleep(1)
        same(errno.value, n)
        return self()!.id
      })
      const a = spawn(work(1))
      const b = spawn(work(2))
      same([yield* a, yield* b], [a.id, b.id])
      same(errno.value, 0)
    },
    { schedules: 100 },
  )
})

test('assertYields and assertNoYield tell whether anything ran in between', function* () {
  const body = function* () {
    yield* sleep(1)
    return 5
  }
  same(yield* assertYields(body), 5)
  same(yield* assertNoYield(atomic(body)), 5)
  let failed = 0
  try {
    yield* assertNoYield(body)
  } catch {
    failed++
  }
  try {
    yield* assertYields(atomic(body))
  } catch {
    failed++
  }
  same(failed, 2)
})

test('a semaphore and a deadline obey law 8 too', function* () {
  const s = semaphore(1)
  const p = yield* s.acquire()
  try {
    yield* deadline(10, function* () {
      yield* s.acquire()
    })
  } catch (error) {
    same((error as Error).name, 'DeadlineError')
  }
  same(count(s.waiters), 0)
  p.release()
  check(s)
})
