/** Event handlers whose bodies are activities. */
import { test, ok, rejects, reported, same, until } from './harness.ts'
import { atomic, Cancelled, future, sleep, spawn } from './lib.ts'
import { handler } from '../src/ops.ts'

const handle = (when: 'all' | 'latest' | 'first' | 'queue') => {
  const log: string[] = []
  const f = handler(
    function* (name: string) {
      log.push(`${name} begins`)
      try {
        yield* sleep(5)
      } catch (error) {
        log.push(`${name} ${error instanceof Cancelled ? 'cancelled' : 'fails'}`)
        throw error
      }
      log.push(`${name} ends`)
      return name
    },
    { when },
  )
  return { f, log }
}

test('what stands before the first wait of a handler runs within the event', async () => {
  const target = new EventTarget()
  const press = handler(function* (event: Event) {
    event.preventDefault()
    yield* sleep(1)
  })
  target.addEventListener('press', press)
  same(target.dispatchEvent(new Event('press', { cancelable: true })), false)
  same(press.busy, 1)
  await until(() => press.busy === 0)
})

test('an event that an activity dispatches is handled within the event, too', async () => {
  const target = new EventTarget()
  const press = handler(function* (event: Event) {
    event.preventDefault()
    yield* sleep(1)
  })
  target.addEventListener('press', press)
  await spawn(function* () {
    same(target.dispatchEvent(new Event('press', { cancelable: true })), false)
    same(press.busy, 1)
    yield* sleep(1)
  })
  await until(() => press.busy === 0)
})

test('an event that comes from the first part of the handler itself is a later one', async () => {
  const want = {
    all: ['outer begins', 'inner begins', 'inner ends', 'outer ends'],
    latest: ['outer begins', 'inner begins', 'outer cancelled', 'inner ends'],
    first: ['outer begins', 'outer ends'],
    queue: ['outer begins', 'outer ends', 'inner begins', 'inner ends'],
  }
  for (const when of ['all', 'latest', 'first', 'queue'] as const) {
    const log: string[] = []
    const f = handler(
      function* (name: string) {
        log.push(`${name} begins`)
        if (name === 'outer') void f('inner')
        try {
          yield* sleep(1)
          log.push(`${name} ends`)
        } catch (error) {
          log.push(`${name} cancelled`)
          throw error
        }
      },
      { when, name: 'reentrant' },
    )
    await Promise.allSettled([f('outer')])
    await until(() => f.busy === 0)
    same([...log].sort(), [...want[when]].sort(), when)
    if (when !== 'latest') same(log, want[when], when)
  }
})

test('a preventDefault that comes too late, because an atomic block was open, is told with the remedy', async () => {
  const told: string[] = []
  const over = future<void>()
  const { warn } = console
  console.warn = (text: string) => void told.push(text)
  const dispatch = (target: EventTarget): boolean => {
    const event = new Event('submit', { cancelable: true })
    const global = globalThis as { event?: Event }
    if (typeof document === 'object') return target.dispatchEvent(event)
    global.event = event // a page has the event that is being handled there
    try {
      return target.dispatchEvent(event)
    } finally {
      delete global.event
    }
  }
  try {
    const target = new EventTarget()
    const save = handler(
      function* (event: Event) {
        event.preventDefault()
      },
      { name: 'save' },
    )
    let inTime = false
    target.addEventListener('submit', (event) => {
      if (inTime) event.preventDefault()
      void save(event)
    })
    same([dispatch(target), told], [false, []])
    let open = false
    const body = function* () {
      open = true
      yield* over.get()
    }
    const load = spawn(() => atomic(body), { name: 'load' })
    await until(() => open)
    same(dispatch(target), true)
    inTime = true
    same(dispatch(target), false)
    over.set()
    await load
    await until(() => save.busy === 0)
    same(told, [
      "charcoal: preventDefault of 'submit' comes too late: save has begun after the event, because an atomic block " +
        'of load was open. Remedy: call it in the listener, before the activity.',
    ])
  } finally {
    over.set()
    console.warn = warn
  }
})

test('a later event is handled beside the earlier one, instead of it, after it, or not at all', async () => {
  const want = {
    all: ['a begins', 'b begins', 'a ends', 'b ends'],
    latest: ['a begins', 'b begins', 'a cancelled', 'b ends'],
    first: ['a begins', 'a ends'],
    queue: ['a begins', 'a ends', 'b begins', 'b ends'],
  }
  for (const when of ['all', 'latest', 'first', 'queue'] as const) {
    const { f, log } = handle(when)
    const one = f('a')
    const two = f('b')
    same(two === undefined, when === 'first')
    await Promise.allSettled([one, two])
    same([...log].sort(), [...want[when]].sort(), when)
    if (when !== 'latest') same(log, want[when], when)
    same(f.busy, 0)
  }
})

test('a handler that is disposed of cancels what is being handled', async () => {
  const { f, log } = handle('all')
  {
    using _ = f
    f('a')
    same(f.busy, 1)
  }
  await until(() => f.busy === 0)
  same(log, ['a begins', 'a cancelled'])
  ok((await f('b')) === 'b')
})

test('a failure of a handler is reported unless its caller asks for the result, and nothing else is', async () => {
  const fails = handler(
    function* (name: string) {
      yield* sleep(1)
      throw new Error(name)
    },
    { when: 'latest' },
  )
  const said = await reported(async () => {
    await rejects(fails('asked')!, /asked/)
    fails('replaced')
    fails('last')
    await until(() => fails.busy === 0)
    const atOnce = handler(() => {
      throw new Error('at once')
    })
    await rejects(atOnce()!, /at once/)
    same(atOnce.busy, 0)
  })
  same(said, ['last'])
})
