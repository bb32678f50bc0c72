/**
 * What asynchronous operations cost, microseconds each: the same text runs bare and recorded. The best of a few rounds,
 * which a busy machine disturbs least.
 */
export type Costs = Record<string, number>

export async function costs(): Promise<Costs> {
  const g = globalThis as any
  const rounds: [string, number, (n: number) => Promise<unknown>][] = [
    [
      'await',
      4000,
      async (n) => {
        for (let i = 0; i < n; i++) await null
      },
    ],
    [
      'then',
      4000,
      async (n) => {
        let p: Promise<unknown> = Promise.resolve()
        for (let i = 0; i < n; i++) p = p.then(() => i)
        await p
      },
    ],
    [
      'timeout',
      300,
      (n) =>
        new Promise<void>((done) => {
          let left = n
          for (let i = 0; i < n; i++) setTimeout(() => --left === 0 && done())
        }),
    ],
    [
      'message-port',
      200,
      (n) =>
        new Promise<void>((done) => {
          const { port1, port2 } = new MessageChannel()
          let left = n
          port1.onmessage = () => {
            if (--left === 0) {
              port1.close()
              done()
            } else port2.postMessage(0)
          }
          port2.postMessage(0)
        }),
    ],
  ]
  if (typeof g.setImmediate === 'function')
    rounds.push([
      'immediate',
      500,
      (n) =>
        new Promise<void>((done) => {
          let left = n
          const next = (): unknown => (--left === 0 ? done() : g.setImmediate(next))
          next()
        }),
    ])
  if (typeof g.scheduler?.postTask === 'function')
    rounds.push([
      'post-task',
      200,
      async (n) => {
        for (let i = 0; i < n; i++) await g.scheduler.postTask(() => {})
      },
    ])
  const result: Costs = {}
  for (const [name, n, run] of rounds) {
    result[name] = Infinity
    for (let round = 0; round < 4; round++) {
      const start = performance.now()
      await run(n)
      result[name] = Math.min(result[name], ((performance.now() - start) * 1000) / n)
    }
  }
  return result
}

export function overhead(bare: Costs, recorded: Costs): Record<string, { bare: number; recorded: number }> {
  const round = (x: number): number => Math.round(x * 1000) / 1000
  return Object.fromEntries(
    Object.entries(bare)
      .filter(([name, x]) => Number.isFinite(x) && Number.isFinite(recorded[name]))
      .map(([name, x]) => [name, { bare: round(x), recorded: round(recorded[name]) }]),
  )
}
