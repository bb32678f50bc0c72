// Vitest: schedules, virtual time and fake timers. Run it: npx vitest run
import { afterEach, expect, test, vi } from 'vitest'
import { asyncFn, atomic, deadline, sleep, spawn } from 'charcoal-js'
import { explore, simulate } from 'charcoal-js/dev'

let votes
const vote = asyncFn(function* () {
  const before = votes
  yield* sleep(1000)
  votes = before + 1
})
const two = (how) => function* () {
  votes = 0
  for (const task of [spawn(() => how()), spawn(() => how())]) yield* task
  if (votes !== 2) throw new Error(`2 votes were given, ${votes} counted`)
}

afterEach(() => void vi.useRealTimers())

test('explore finds the schedule in which a vote is lost, and none with atomic', async () => {
  await expect(explore(two(vote), { schedules: 50 })).rejects.toThrow(/1 counted/)
  await explore(two(() => atomic(vote())), { schedules: 50 })
})

test('in a simulation an hour takes no time, for code that knows nothing of the library too', async () => {
  await simulate(function* () {
    const before = Date.now()
    yield* sleep(3_600_000)
    expect(Date.now() - before).toBe(3_600_000)
    const late = new Promise((done) => setTimeout(done, 3_600_000, 'late'))
    expect(yield late).toBe('late')
  })
})

test('a simulation that is stuck names the timers that are left', async () => {
  const stuck = simulate(function* () {
    yield* deadline(1000, () => new Promise(() => {}))
  })
  await expect(stuck).rejects.toThrow(/did not end within 1000 ms|nothing can run/)
})

test('fake timers drive sleep', async () => {
  vi.useFakeTimers()
  const task = spawn(function* () {
    yield* sleep(3_600_000)
    return 'an hour later'
  })
  await vi.advanceTimersByTimeAsync(3_600_000)
  expect(await task).toBe('an hour later')
})
