/** `promiseOf` gives the outcome of a clause as a native promise, without any activity. */

/** What it needs of a clause. */
interface Answer {
  readonly failed?: boolean
  readonly outcome: any
}

interface Waitable extends Answer {
  waiter: { answered(clause: Answer): void } | null
  poll(): boolean
  register(): void
}

export function promiseOf(clause: Waitable): Promise<any> {
  return new Promise((resolve, reject) => {
    clause.waiter = { answered: ({ failed, outcome }) => (failed ? reject(outcome) : resolve(outcome)) }
    clause.poll() ? clause.waiter.answered(clause) : clause.register()
  })
}
