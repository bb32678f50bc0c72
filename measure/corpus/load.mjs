// What the loads on servers have in common. They run in the process of the study, not in the recorded one.
const pause = (ms) => new Promise((done) => setTimeout(done, ms))

/**
 * `users` people who each do one thing after the other and think in between, for `thinking` ms in the mean. Gives how
 * many things were done, and how many went wrong.
 */
export async function crowd(users, thinking, until, act) {
  let done = 0
  let failed = 0
  await Promise.all(
    Array.from({ length: users }, async (_, user) => {
      await pause(user * 37)
      for (let turn = 0; !until(); turn++) {
        try {
          await act(user, turn)
          done++
        } catch {
          failed++
          await pause(100)
        }
        await pause(thinking * (0.5 + ((user * 7 + turn * 13) % 10) / 10))
      }
    }),
  )
  return { done, failed }
}

/** One request, whose answer is read to its end. Fails if its status does. */
export async function send(url, method, body, headers = {}) {
  const json = body !== undefined && typeof body !== 'string'
  const answer = await fetch(url, {
    method,
    headers: { ...(json && { 'content-type': 'application/json' }), ...headers },
    ...(body !== undefined && { body: json ? JSON.stringify(body) : body }),
    signal: AbortSignal.timeout(20_000),
  })
  const text = await answer.text()
  if (!answer.ok && answer.status !== 304) throw new Error(`${method} ${url}: ${answer.status} ${text.slice(0, 200)}`)
  return text
}
