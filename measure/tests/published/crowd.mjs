// What the programs of published races have in common.
import http from 'node:http'

export const sleep = (ms) => new Promise((done) => setTimeout(done, ms))

/** What `number` callers wait for, each of them: that all have come. */
export function gathering(number) {
  const waiting = []
  return () =>
    new Promise((done) => {
      waiting.push(done)
      if (waiting.length === number) for (const go of waiting.splice(0)) go()
    })
}

/** A store behind a network: every answer comes later. With promises and, if there is one, with a callback. */
export function remoteStore() {
  const rows = new Map()
  const later = async (callback, value) => {
    await sleep(2)
    callback?.(null, value)
    return value
  }
  return {
    get: (key, callback) => later(callback, rows.get(key)),
    set: (key, value, ...rest) => {
      rows.set(key, value)
      return later(rest.findLast((x) => typeof x === 'function'))
    },
  }
}

/** Sends requests to the handler, `number` at a time; with sessions, after a first one that gets the cookie. */
export async function requests(handler, { number = 4, session = true } = {}) {
  const headers = {}
  const server = http.createServer(handler)
  await new Promise((done) => server.listen(0, '127.0.0.1', done))
  const url = `http://127.0.0.1:${server.address().port}/`
  const one = async () => {
    const answer = await fetch(url, { headers: { ...headers, connection: 'close' } })
    await answer.text()
    return answer
  }
  if (session) {
    const cookies = (await one()).headers.getSetCookie()
    headers.cookie = cookies.map((c) => c.split(';')[0]).join('; ')
  }
  await Promise.all(Array.from({ length: number }, one))
  server.close()
}
