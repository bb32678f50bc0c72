// Jest: schedules, virtual time and fake timers, here in CommonJS. Run it: npx jest
const { asyncFn, atomic, sleep, spawn } = require('charcoal-js')
const { explore, simulate } = require('charcoal-js/dev')

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

afterEach(() => void jest.useRealTimers())

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

test('fake timers drive sleep', async () => {
  jest.useFakeTimers()
  const task = spawn(function* () {
    yield* sleep(3_600_000)
    return 'an hour later'
  })
  await jest.advanceTimersByTimeAsync(3_600_000)
  expect(await task).toBe('an hour later')
})
