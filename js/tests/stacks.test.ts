/** Stacks of errors after a wait: the functions that waited, by the names and lines that the user wrote. */
import { test, ok, same } from './harness.ts'
import { asyncFn, sleep, spawn } from './lib.ts'
import { asyncStacks } from '../src/dev/index.ts'
import * as runtime from '../src/plugin/runtime.ts'
import { transform } from '../src/plugin/transform.ts'

const frames = (error: Error): string[] => error.stack!.split('\n').filter((l) => /^\s*at /.test(l))
const names = (error: Error): string[] =>
  frames(error).map((l) =>
    /at (async )?([\w$.<>]+)/
      .exec(l)!
      .slice(1)
      .filter(Boolean)
      .join('')
      .replace(/Object\./, '')
      .replace(/\d+$/, ''),
  )

test('an error after a wait names the functions that waited, innermost first', async () => {
  const stop = asyncStacks()
  try {
    const inner = asyncFn(function* innermost() {
      yield* sleep(1)
      throw new Error('deep')
    })
    const middle = asyncFn(function* inTheMiddle() {
      yield* sleep(0)
      yield* inner()
    })
    const outer = asyncFn(function* outermost() {
      yield* middle()
    })
    const error = await outer().catch((e) => e)
    same(names(error), ['innermost', 'async inTheMiddle', 'async outermost'])
    same(error.stack.split('\n')[0], 'Error: deep')
    // One that did not wait has its callers on the stack, and the library is not between them.
    const quick = asyncFn(function* quickly() {
      throw new Error('at once')
    })
    const caller = asyncFn(function* calling() {
      yield* sleep(0)
      yield* quick()
    })
    const outside = asyncFn(function* fromOutside() {
      yield* caller()
    })
    const told = names(await outside().catch((e) => e))
    // The library is between them after all if it is time to look at the clock.
    same(
      told.map((name, i) => (i === 1 ? name.replace('async ', '') : name)),
      ['quickly', 'calling', 'async fromOutside'],
    )
  } finally {
    stop()
  }
})

test('a cancelled wait says who waited and where the cancel came from', async () => {
  const stop = asyncStacks()
  try {
    const waits = asyncFn(function* waiting() {
      yield* sleep(Infinity)
    })
    const task = spawn(function* () {
      yield* waits()
    })
    await sleep(1)
    const who = (): void => task.cancel()
    who()
    const error = await task.catch((e) => e)
    ok(/at cancel by .*who|at cancel by who/.test(error.stack), error.stack)
    ok(
      frames(error).some((l) => /at async /.test(l)),
      error.stack,
    )
  } finally {
    stop()
  }
  const plain = await spawn(function* () {
    throw new Error('x')
  }).catch((e) => e)
  ok(!/async/.test(frames(plain)[0]))
})

test('transformed functions are named as they were written', async () => {
  const stop = asyncStacks()
  try {
    const source = `async function inner() { await tick(); throw new Error('deep') }
async function middle() { await inner() }
async function outer() { await middle() }`
    const { code } = transform(source, { all: true })!
    const tick = (): Promise<void> => new Promise((done) => setTimeout(done, 1))
    const outer = new Function('charcoal$', 'tick', `${code.replace(/import .*?;/, '')}\nreturn outer`)(runtime, tick)
    const error = await outer().catch((e: Error) => e)
    same(names(error), ['inner', 'async middle', 'async outer'])
  } finally {
    stop()
  }
})
