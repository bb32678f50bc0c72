// Jobs through a channel to three workers, until it is closed. Run it: node workers.mjs
import { async, channel, finish, sleep, spawn } from 'charcoal-js'

const done = []
await spawn(function* () {
  const jobs = channel(2)
  yield* finish(function* () {
    for (const name of ['ann', 'bob', 'eve'])
      yield* async(() =>
        jobs.each(function* (job) {
          yield* sleep(job)
          done.push(`${name}:${job}`)
        }),
      )
    for (let job = 1; job <= 6; job++) yield* jobs.send(job)
    jobs.close()
  })
})
console.log(done.length, 'jobs done') // → 6 jobs done
