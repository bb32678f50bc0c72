/** Random programs with `async` functions in loops mean the same when they are transformed (see plugin/once.ts). */
import { ok, same, test } from './harness.ts'
import { Domain, useDomain } from './lib.ts'
import { transform } from '../src/plugin/transform.ts'
import * as runtime from '../src/plugin/runtime.ts'

const NAMES = ['a', 'b', 'c', 'd', 'e']

/** Numbers that only the seed decides. */
function numbers(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff
    return (state >> 8) % below
  }
}

/** A program of nested loops and blocks; its functions tell which variables they see. */
function program(seed: number): string {
  const random = numbers(seed)
  const name = (): string => NAMES[random(NAMES.length)]
  const call = (depth: number): string => {
    const param = random(3) > 0 ? '' : name()
    const nested = depth > 0 && random(3) === 0
    const values = `[${name()}, ${name()}, typeof this]`
    const changes = `[${name()}, ${random(2) ? name() : `${name()}++`}, typeof this]`
    const body = nested ? `await ${call(depth - 1)}` : random(6) === 0 ? changes : values
    return [
      `(async (${param}) => (${body}))(7)`,
      `(async (${param}) => { await null; return ${body} })(8)`,
      `(async function (${param}) { return ${body} })(9)`,
      `({ async m(${param}) { return ${body} } }).m(6)`,
      `(async ({ length }, ${param || 'f'} = ${name()}) => [length, ${body}])('xyz')`,
      `({ async *m(${param}) { yield ${body} } }).m(5).next().then(({ value }) => value)`,
      `(async (${param}) => { try { return ${body} } finally { await null } })(4)`,
      `(async function (${param}) { { const ${name()} = z++; return [arguments.length, ${body}] } })(3)`,
    ][random(8)]
  }
  const statements = (depth: number): string => {
    const declared = new Map<string, string>()
    let text = ''
    for (let left = 1 + random(3); left > 0; left--) {
      const n = name()
      const inner = (): string => (depth > 0 ? statements(depth - 1) : `log.push(${call(1)})\n`)
      const kinds = [
        () => void declared.set(n, `${random(2) ? 'let' : 'const'} ${n} = z++\n`),
        () => void declared.set(n, `function ${n}() { return z }\n`),
        () => `for (let ${n} = 0; ${n} < 2; ${n}++) { ${inner()} }\n`,
        () => `for (let ${n} = 0; ${n} < 2; ${n}++) log.push(${call(1)})\n`,
        () => `for (const ${n} of [1, 2]) { ${inner()} }\n`,
        () => `{ let left = 2; while (left-- > 0) { ${inner()} } }\n`,
        () => `try { throw z++ } catch (${n}) { { ${inner()} } }\n`,
        () => `switch (1) { case 1: let ${n} = z++; log.push(${call(1)}) }\n`,
        () => `log.push(${call(2)})\n`,
        () => `try { ${n}${random(2) ? '++' : ' = z++'} } catch {}\n`,
        () => `for (const [${n}, ${name()}1] of [[1, 2], [3, 4]]) { ${inner()} }\n`,
        () => `for (let ${n} = 0; ${n}++ < 2; ) { ${inner()} }\n`,
        () => `for (let ${n} = 0, f; ${n} < 3; ${n}++, log.push(${call(1)})) { ${inner()} }\n`,
      ]
      text += kinds[random(kinds.length)]() ?? ''
    }
    return [...declared.values()].join('') + text
  }
  return `let a = 1, b = 2, c = 3, d = 4, e = 5, z = 10; const log = []
    async function main() { ${statements(3)}
      const all = await Promise.allSettled(log)
      return all.map(({ value, reason }) => value ?? reason.name).join('; ') + z }`
}

/** What the program says; it is compared as text, in which functions are told by their names. */
async function told(code: string): Promise<string> {
  const f = new Function('charcoal$', `'use strict'; ${code}\nreturn main()`) as (r: unknown) => Promise<string>
  return (await f(runtime)).replace(/function (\w).*?}/g, '$1()')
}

test('functions in loops see the variables that they see natively, in 300 random programs', async () => {
  let kept = 0
  let handed = 0
  // On a busy machine the end of a slice would change the order of steps, which these programs tell.
  const before = useDomain(new Domain({ slice: Infinity }))
  try {
    for (let seed = 1; seed <= 300; seed++) {
      const source = program(seed)
      const code = transform(source, { all: true, format: 'commonjs' })!.code.replace(/^const .*?;/, '')
      if (/\bbody\d+\$/.test(code)) kept++
      if (/\$activity \([a-e], |function\* \([a-e], /.test(code)) handed++
      same(await told(code), await told(source), `seed ${seed}:\n${source}`)
    }
  } finally {
    useDomain(before)
  }
  ok(kept > 100 && handed > 50, `of 300 programs ${kept} keep a generator function, ${handed} hand variables to one`)
})
