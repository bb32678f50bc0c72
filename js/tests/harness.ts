/**
 * The smallest harness that runs alike in Node and in a browser: `test(name, body)`, assertions that say what they saw,
 * one line at the end.
 */
interface Test {
  name: string
  body: () => unknown
}

const tests: Test[] = []

// Simulations replace the timers.
const { setTimeout, clearTimeout } = globalThis

/** Registers a test. A generator function runs as an activity of a simulated domain, any other function as it is. */
export function test(name: string, body: () => unknown): void {
  tests.push({ name, body })
}

export class AssertionError extends Error {
  override readonly name = 'AssertionError'
}

const show = (x: unknown): string => {
  try {
    return typeof x === 'string' ? JSON.stringify(x) : x instanceof Error ? String(x) : (JSON.stringify(x) ?? String(x))
  } catch {
    return String(x)
  }
}

export function ok(condition: unknown, what = 'expected a true value'): asserts condition {
  if (!condition) throw new AssertionError(what)
}

/** Equal as JSON. */
export function same(got: unknown, want: unknown, what = ''): void {
  if (show(got) !== show(want)) throw new AssertionError(`${what}${what && ': '}got ${show(got)}, want ${show(want)}`)
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

export async function rejects(promise: PromiseLike<unknown>, pattern: RegExp): Promise<any> {
  try {
    await promise
  } catch (error) {
    if (!pattern.test(String(error))) throw new AssertionError(`rejected with ${String(error)}, want ${pattern}`)
    return error
  }
  throw new AssertionError(`did not reject; want ${pattern}`)
}

/** Waits until `condition` holds, however long the machine takes; the limit is the test's. */
export async function until(condition: () => unknown): Promise<void> {
  while (!(await condition())) await new Promise((done) => setTimeout(done, 1))
}

/** Runs `body` and tells which rejections the host would have reported. */
export async function reported(body: () => Promise<unknown>): Promise<string[]> {
  const found: string[] = []
  const inNode = typeof process === 'object' && typeof process.on === 'function'
  const note = (error: unknown): void => void found.push(error instanceof Error ? error.message : String(error))
  const noteEvent = (event: Event): void => {
    event.preventDefault()
    note((event as unknown as { reason: unknown }).reason)
  }
  if (inNode) process.on('unhandledRejection', note)
  else globalThis.addEventListener('unhandledrejection', noteEvent)
  try {
    await body()
    // The host reports in turn, after its queue of microtasks: when the last one is told, all are.
    const last = 'the last rejection of the test'
    void Promise.reject(new Error(last))
    await until(() => found.includes(last))
    found.splice(found.indexOf(last), 1)
  } finally {
    if (inNode) process.off('unhandledRejection', note)
    else globalThis.removeEventListener('unhandledrejection', noteEvent)
  }
  return found
}

/** Runs what was registered; tells the name of each test before it; returns the number of passed and failed tests. */
export async function runTests(
  filter = '',
  log: (line: string) => void = console.log,
  begins: (name: string) => void = () => {},
): Promise<{ passed: number; failed: number }> {
  const { simulate } = await import('../src/dev/simulate.ts')
  const GeneratorFunction = Object.getPrototypeOf(function* () {})
  let passed = 0
  let failed = 0
  for (const { name, body } of tests) {
    if (!name.includes(filter)) continue
    begins(name)
    let timer: ReturnType<typeof setTimeout> | undefined
    try {
      const run = Object.getPrototypeOf(body) === GeneratorFunction ? simulate(body as () => Generator) : body()
      await Promise.race([
        run,
        new Promise((_, reject) => (timer = setTimeout(() => reject(new Error('took longer than 900 s')), 900_000))),
      ])
      passed++
    } catch (error) {
      failed++
      log(
        `FAIL ${name}\n  ${error instanceof Error ? (error.stack ?? String(error)) : String(error)}`.replaceAll(
          '\n',
          '\n  ',
        ),
      )
    } finally {
      clearTimeout(timer)
    }
  }
  return { passed, failed }
}
