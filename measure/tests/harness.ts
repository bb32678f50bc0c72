/** The smallest harness: `test(name, body)`, assertions that say what they saw, one line at the end. */
const tests: { name: string; body: () => unknown; limit: number }[] = []
/** The names of those that also run in other versions of Node. */
const everywhere = new Set<string>()
/** What stands for a filter, and runs those. */
const IN_EACH_NODE = '--in-each-node'

/** How many times as much as in a quick check random tests do; above 1 their seeds are new each time. */
export const soak = Number(process.env.CHARCOAL_SOAK ?? 1)

export const seed = (quick: number): number => (soak === 1 ? quick : Date.now() & 0x7fffffff)

/** Registers a test; `limit` in seconds. */
export function test(name: string, body: () => unknown, limit = 300): void {
  tests.push({ name, body, limit })
}

/** A test of what hangs on the version of Node, which also runs in those of scripts/hosts. */
export function inEachNode(name: string, body: () => unknown): void {
  everywhere.add(name)
  test(name, body)
}

export class AssertionError extends Error {
  override readonly name = 'AssertionError'
}

const show = (x: unknown): string => (x instanceof Error ? String(x) : (JSON.stringify(x) ?? String(x)))

export function ok(condition: unknown, what = 'expected a true value'): asserts condition {
  if (!condition) throw new AssertionError(what)
}

/** Equal as JSON. */
export function same(got: unknown, want: unknown, what = ''): void {
  if (show(got) !== show(want)) throw new AssertionError(`${what}${what && ': '}got ${show(got)}, want ${show(want)}`)
}

/** Equal within `tolerance`, relative to the larger. */
export function near(got: number, want: number, tolerance = 1e-9, what = ''): void {
  if (!(Math.abs(got - want) <= tolerance * Math.max(1, Math.abs(got), Math.abs(want))))
    throw new AssertionError(`${what}${what && ': '}got ${got}, want ${want}`)
}

export function throws(f: () => unknown, pattern: RegExp): void {
  try {
    f()
  } catch (error) {
    if (!pattern.test(String(error))) throw new AssertionError(`threw ${String(error)}, want ${pattern}`)
    return
  }
  throw new AssertionError(`did not throw; want ${pattern}`)
}

export async function rejects(promise: PromiseLike<unknown>, pattern: RegExp): Promise<void> {
  try {
    await promise
  } catch (error) {
    if (!pattern.test(String(error))) throw new AssertionError(`rejected with ${String(error)}, want ${pattern}`)
    return
  }
  throw new AssertionError(`did not reject; want ${pattern}`)
}

/**
 * Passes if one of three attempts does. For recordings of a browser, which may take a sample too late to name a
 * callback on a machine that does much else: what is wrong in each of three is wrong.
 */
export async function inOneOfThree(body: () => Promise<void>): Promise<void> {
  for (let left = 2; ; left--)
    try {
      return await body()
    } catch (error) {
      if (left === 0) throw error
    }
}

/** Runs what was registered and ends the process. */
export async function finish(filter = process.argv[2] ?? ''): Promise<never> {
  let passed = 0
  let failed = 0
  for (const { name, body, limit } of tests) {
    if (filter === IN_EACH_NODE ? !everywhere.has(name) : !name.includes(filter)) continue
    let timer: ReturnType<typeof setTimeout> | undefined
    try {
      await Promise.race([
        body(),
        new Promise(
          (_, reject) =>
            (timer = setTimeout(() => reject(new Error(`took longer than ${limit} s`)), limit * soak * 1000)),
        ),
      ])
      passed++
    } catch (error) {
      failed++
      console.log(
        `FAIL ${name}\n  ${error instanceof Error ? (error.stack ?? String(error)) : String(error)}`.replaceAll(
          '\n',
          '\n  ',
        ),
      )
    } finally {
      clearTimeout(timer)
    }
  }
  console.log(`${passed} passed, ${failed} failed`)
  process.exit(failed === 0 && passed > 0 ? 0 : 1)
}
