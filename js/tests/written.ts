/**
 * Random plain programs: what may contain `await`, `yield` and blocks, nested in one another at random. A program is
 * sequential, because every call in it is awaited in place, or in the same line, so it tells the same natively and
 * transformed, and its `atomic:` blocks are labels like any others.
 *
 * `t` tells what it is given, with a number, and ends the program when it has told too much. Loops are short, and a
 * function calls only those that were declared before it.
 */

/** What a program may contain. */
export interface Kinds {
  strict: boolean
  /** The host knows `await using` natively. */
  using: boolean
  /** The program enters stores of AsyncLocalStorage, and tells which one it sees. */
  stores?: boolean
}

const PRELUDE = `
let fuel = 150
const kind = (x) => x instanceof Error ? x.constructor.name : Array.isArray(x) ? x.map(kind) : x
let t = (id, x) => { if (fuel-- < 0) throw 'fuel'; log(id, kind(x)); return x }
const quiet = (id, x) => { if (fuel > 0) t(id, x); return x }
const later = (x) => Promise.resolve().then(() => x)
const fails = (x) => Promise.resolve().then(() => { throw x })
const thenable = (x) => ({ then(ok) { ok(x) } })
const tag = (strings, ...xs) => strings.raw.join('|') + xs.length
const iterable = (id, n) => ({ [Symbol.iterator]() { let i = 0
  return { next(x) { return i < n ? { done: false, value: t(id, i++) } : { done: true, value: t(id, x) } },
    throw(e) { t(id, 'throw'); return { done: true, value: 1 } },
    return(x) { t(id, 'return'); return { done: true, value: x } } } } })
const stream = (id, n) => ({ [Symbol.asyncIterator]() { let i = 0
  return { next(x) { return later(i < n ? { done: false, value: t(id, i++) } : { done: true, value: t(id, x) }) },
    throw(e) { t(id, 'throw'); return later({ done: true, value: 1 }) },
    return(x) { t(id, 'return'); return later({ done: true, value: x }) } } } })
const asyncDispose = Symbol.asyncDispose, dispose = Symbol.dispose
const file = (id) => ({ id, [asyncDispose]() { t(id, 'end'); return later(1) } })
const lock = (id) => ({ id, [dispose]() { t(id, 'unlocks') } })
`

const STORES = `
const { AsyncLocalStorage, AsyncResource, EventEmitter } = hooks
const storage = new AsyncLocalStorage()
const told = t
const store = () => storage.getStore() ?? 'none'
t = (id, x) => (told(id + ' ' + store(), x), x)
const hop = (id, x) => new Promise((done) => setTimeout(() => done(quiet(id, x))))
const asks = (id, x) => ({ then(ok) { ok(quiet(id, x)) } })
const emits = (id, x) => { const e = new EventEmitter(); setTimeout(() => storage.run('emits', () => e.emit('e', x)))
  return new Promise((done) => e.once('e', AsyncResource.bind((x) => done(quiet(id, x))))) }
const call = (f, ...xs) => f(...xs)
const bound = storage.run('bound', () => AsyncResource.bind(call))
const kept = storage.run('kept', () => AsyncLocalStorage.snapshot())
const resource = storage.run('resource', () => new AsyncResource('test'))
const run1 = (f, ...xs) => storage.run(1, f, ...xs)
const run2 = (f, ...xs) => storage.run({ n: 2 }.n, f, ...xs)
const exit = (f, ...xs) => storage.exit(f, ...xs)
const scope = (f, ...xs) => resource.runInAsyncScope(f, null, ...xs)
const same = (f, ...xs) => storage.run(storage.getStore(), f, ...xs)
const late = (f, ...xs) => AsyncLocalStorage.snapshot()(f, ...xs)
const deep = (f, ...xs) => run1(run2, exit, run2, f, ...xs)
`

/** Where the program that is written stands. */
interface Place {
  /** Variables that can be read, and those of them that can be written. */
  reads: string[]
  writes: string[]
  /** `await` may stand here, or is even to stand here; `yield` too. */
  waits: boolean
  yields: boolean
  /** The function around has its own `this` and `arguments`; its class has a base; it has private names. */
  own: boolean
  base: boolean
  strict: boolean
  hidden: boolean
  inFunction: boolean
  inAtomic: boolean
  /** No block is open here, whoever calls, so that a call begins at once. */
  begins: boolean
  /** In no function but `main`. */
  isMain: boolean
  /** Labels around: those of loops can be continued. */
  labels: { name: string; isLoop: boolean }[]
  isInLoop: boolean
  isInSwitch: boolean
}

/** The place inside a function that stands at `at` and whose parameters have these names. */
function insideFunction(at: Place, names: string[]): Place {
  return {
    ...at,
    reads: [...at.reads, ...names],
    writes: [...at.writes, ...names],
    waits: true,
    yields: false,
    inFunction: true,
    inAtomic: false,
    begins: false,
    isMain: false,
    labels: [],
    isInLoop: false,
    isInSwitch: false,
  }
}

interface Callable {
  name: string
  generator: boolean
  /** It has a block, or calls what has one. A block in the first part of a call that is not awaited begins later. */
  blocks: boolean
}

class Writer {
  private readonly next: () => number
  private readonly kinds: Kinds
  private readonly callables: Callable[] = []
  private ids = 0

  constructor(next: () => number, kinds: Kinds) {
    this.next = next
    this.kinds = kinds
  }

  program(): string {
    const top: Place = {
      reads: ['g1', 'g2'],
      writes: ['g1', 'g2'],
      waits: false,
      yields: false,
      own: false,
      base: false,
      strict: this.kinds.strict,
      hidden: false,
      inFunction: false,
      inAtomic: false,
      begins: false,
      isMain: false,
      labels: [],
      isInLoop: false,
      isInSwitch: false,
    }
    const { strict, stores } = this.kinds
    const parts = [strict ? `'use strict'` : '', PRELUDE, stores ? STORES : '', 'let g1 = 1, g2 = 2']
    for (let n = 1 + this.pick(4); n > 0; n--) parts.push(this.declared(top, 3))
    const main: Place = { ...top, waits: true, own: true, inFunction: true, begins: true, isMain: true }
    const tries = this.callables.map(({ name, generator }) =>
      generator ? `for await (const x of ${name}(1, 2)) t(${this.id()}, x)` : `t(${this.id()}, await ${name}(1, [2]))`,
    )
    for (let n = 5; n > 0; n--) tries.push(this.block(main, 5))
    const caught = tries.map((text) => `try { ${text}\n } catch (e) { t(${this.id()}, e) }\n`)
    parts.push(`async function main() { ${caught.join('')} }`)
    return parts.join('\n')
  }

  // ---- help

  private pick(n: number): number {
    return Math.floor(this.next() * n)
  }

  private one<T>(...items: T[]): T {
    return items[this.pick(items.length)]!
  }

  private id(): number {
    return ++this.ids
  }

  /**
   * What calls a function with other stores than there are here: one that does not wait. What it enters stays with
   * `same` and `exit`. In Node 20 and `exit`, nothing that is bound has its stores, so no `async` function runs there.
   */
  private way(how: 'plain' | 'enters' | 'waits' = 'plain'): string {
    const more = { plain: ['same', 'exit'], enters: [], waits: ['same'] }[how]
    return this.one('run1', 'run2', 'scope', 'bound', 'kept', 'late', 'deep', ...more)
  }

  /** What ends a statement. */
  private end(): string {
    return this.one(';', '\n', '\n', ' // a comment\n', '; /* a comment */ ')
  }

  // ---- functions

  /** A function, constant or class at the top or in a function, which others may call afterwards. */
  private declared(at: Place, depth: number): string {
    const name = `f${this.id()}`
    const generator = this.pick(3) === 0
    const star = generator ? '*' : ''
    const form = this.pick(5)
    let text: string
    const plain = { ...at, base: false }
    if (form === 0) text = `async function${star} ${name}${this.functionRest(plain, depth, generator)}\n`
    else if (form === 1) {
      const own = this.one('', `own${this.id()}`)
      text = `const ${name} = async function${star} ${own}${this.functionRest(plain, depth, generator)}${this.end()}`
    } else if (form === 2 && !generator) text = `const ${name} = ${this.arrow(at, depth)}${this.end()}`
    else if (form === 3) {
      const object = `{ v: 5, get w() { return 6 }, __proto__: { m() { return 7 } },
        async ${star}m${this.functionRest({ ...at, base: true }, depth, generator)} }`
      text = `const o${name} = ${object}; const ${name} = (...xs) => o${name}.m(...xs);`
    } else {
      const inClass = { ...at, base: true, hidden: true, strict: true }
      const method = this.functionRest(inClass, depth, generator)
      const isStatic = this.pick(2) === 0
      text = `class C${name} extends (class { m(x) { return [x, 'base'] } static m(x) { return [x, 'static'] }
        get v() { return t(${this.id()}, 'get') } set v(x) { t(${this.id()}, x) } }) {
        ${this.one('', `[t(${this.id()}, 'key')] = 1\n`)} ${isStatic ? 'static ' : ''}#p = 3;
        ${isStatic ? 'static ' : ''}async ${star}m${method}
        static { t(${this.id()}, 'static block') } }
        const ${name} = (...xs) => ${isStatic ? `C${name}` : `new C${name}()`}.m(...xs);`
    }
    const hasBlock = /\batomic:/.test(text) || this.callables.some((c) => c.blocks && text.includes(c.name))
    this.callables.push({ name, generator, blocks: hasBlock })
    return text
  }

  /** Parameters and body of a function with its own `this`. */
  private functionRest(at: Place, depth: number, generator: boolean): string {
    const [params, names] = this.params(at)
    const inside: Place = { ...insideFunction(at, names), yields: generator, own: true }
    const before = this.callables.length
    const text = `(${params}) {${this.body(inside, depth - 1)}}`
    this.callables.length = before
    return text
  }

  private arrow(at: Place, depth: number): string {
    const [params, names] = this.params(at)
    const inside = insideFunction(at, names)
    const before = this.callables.length
    const head = names.length === 1 && /^\w+$/.test(params) && this.pick(2) === 0 ? params : `(${params})`
    const text =
      this.pick(2) === 0
        ? `async ${head} => {${this.body(inside, depth - 1)}}`
        : `async ${head} => (${this.expression(inside, depth)})`
    this.callables.length = before
    return text
  }

  private params(at: Place): [string, string[]] {
    const names: string[] = []
    const params: string[] = []
    const quiet = { ...at, waits: false, yields: false }
    for (let n = this.pick(4); n > 0; n--) {
      const name = `p${this.id()}`
      const value = this.expression({ ...quiet, reads: [...at.reads, ...names] }, 1)
      params.push(
        this.one(
          name,
          name,
          `${name} = ${value}`,
          `{ ${name} = ${value} } = {}`,
          `[${name}, ...r${name}] = [${value}, 1]`,
          `{ a: ${name}, ...r${name} } = { a: 1, b: 2 }`,
        ),
      )
      names.push(name)
    }
    if (this.pick(5) === 0) {
      const name = `p${this.id()}`
      params.push(`...${name}`)
      names.push(name)
    }
    return [params.join(', '), names]
  }

  // ---- statements

  private body(at: Place, depth: number): string {
    const inside = { ...at, reads: [...at.reads], writes: [...at.writes] }
    let text = ''
    for (let n = 1 + this.pick(depth > 1 ? 4 : 2); n > 0; n--) text += ` ${this.statement(inside, depth)}`
    return `${text} `
  }

  private block(at: Place, depth: number): string {
    const before = this.callables.length
    const text = `{${this.body(at, depth - 1)}}`
    this.callables.length = before
    return text
  }

  /** A statement, which may add variables to `at`. */
  private statement(at: Place, depth: number): string {
    const e = (d = Math.min(depth, 3)): string => this.expression(at, d)
    const simple: (() => string)[] = [
      () => `t(${this.id()}, ${e()})${this.end()}`,
      () => `t(${this.id()}, ${e()})${this.end()}`,
      () => this.variable(at, depth),
      () => this.variable(at, depth),
      () => this.assignment(at, depth) + this.end(),
    ]
    if (at.waits) simple.push(() => `await ${this.operand(at, depth)}${this.end()}`)
    if (this.kinds.stores && at.isMain)
      simple.push(() => `storage.enterWith('e${this.id()}'); t(${this.id()}, 'entered')${this.end()}`)
    if (at.yields && !at.inAtomic) simple.push(() => `${this.yielded(at, depth)}${this.end()}`)
    if (at.inFunction && this.pick(4) === 0)
      simple.push(
        () => `${this.one('', `if (${e(1)}) `)}return ${e()}${this.end()}`,
        () => `if (t(${this.id()}, ${e(1)}) === 1) throw ${e()};`,
      )
    const calls = this.callables.filter(({ generator, blocks }) => !generator && !blocks)
    if (at.begins && calls.length > 0)
      simple.push(() => {
        const name = `q${this.id()}`
        const callee = this.one(...calls).name
        const given = this.one('', e(1))
        const other = this.kinds.stores && this.pick(2) === 0
        const call = other ? `${this.way('waits')}(${callee}, ${given})` : `${callee}(${given})`
        return `const ${name} = ${call}; quiet(${this.id()}, 'goes on'); t(${this.id()}, await ${name})${this.end()}`
      })
    const exits = this.exits(at)
    if (exits.length > 0) simple.push(() => `if (t(${this.id()}, ${e(1)})) ${this.one(...exits)};`)
    if (depth <= 1) return this.one(...simple)()

    const inner = (more: Partial<Place> = {}, d = depth): string => this.block({ ...at, ...more }, d)
    const loop = { isInLoop: true, isInSwitch: false }
    const label = (isLoop: boolean): [string, Place['labels']] => {
      if (this.pick(3) > 0) return ['', at.labels]
      const name = `l${this.id()}`
      return [`${name}: `, [...at.labels, { name, isLoop }]]
    }
    const nested: (() => string)[] = [
      () => `if (${e(1)}) ${inner()} else ${this.one(inner(), `t(${this.id()}, ${e(1)});`)}`,
      () => {
        const [text, labels] = label(true)
        const name = `i${this.id()}`
        const kind = this.one('let', 'var')
        const body = inner({ ...loop, labels, reads: [...at.reads, name] })
        return `${text}for (${kind} ${name} = 0; ${name} < ${1 + this.pick(3)}; ${name}++) ${body}`
      },
      () => {
        const [text, labels] = label(true)
        const name = `x${this.id()}`
        const body = inner({ ...loop, labels, reads: [...at.reads, name] })
        const of = this.one(`[${e(1)}, ${e(1)}]`, `iterable(${this.id()}, 3)`, `${e(1)} ? [1] : 'ab'`)
        return `${text}for (${this.one('const', 'let', 'var')} ${name} of ${of}) ${body}`
      },
      () => {
        const name = `k${this.id()}`
        return `for (const ${name} in { a: 1, b: 2 }) ${inner({ ...loop, reads: [...at.reads, name] })}`
      },
      () => {
        const [text, labels] = label(true)
        const name = `n${this.id()}`
        const test = this.one(`${name}-- > 0`, `t(${this.id()}, ${e(1)}) && ${name}-- > 0`)
        const body = inner({ ...loop, labels })
        const form = this.one(`while (${test}) ${body}`, `do ${body} while (${test})${this.end()}`)
        return `let ${name} = ${1 + this.pick(2)}; ${text}${form}`
      },
      () => {
        const [text, labels] = label(false)
        const sw = { isInSwitch: true, labels }
        const name = `c${this.id()}`
        return `${text}switch (${e(1)}) { case ${e(1)}: ${inner(sw)} case ${e(0)}: let ${name} = ${e(1)};
          t(${this.id()}, ${name}); ${this.one('break;', '')} default: ${inner(sw)}
          ${this.one('', `case 2: ${inner(sw)}`)} }`
      },
      () => {
        const name = `e${this.id()}`
        const caught = this.one(
          // What the host says of an error is not the same everywhere.
          `catch (${name}) ${inner({ reads: [...at.reads, `kind(${name})`] })}`,
          `catch ${inner()}`,
          `catch ({ length: ${name} = ${e(1)} }) ${inner({ reads: [...at.reads, name] })}`,
        )
        return `try ${inner()} ${this.one(caught, `${caught} finally ${inner()}`, `finally ${inner()}`)}`
      },
      () => {
        const [text, labels] = label(false)
        return text === '' ? inner() : `${text}${inner({ labels })}`
      },
      () => this.declared(at, depth - 1),
      () => {
        const name = `h${this.id()}`
        const result = this.expression({ ...at, waits: false, yields: false, own: true, base: false }, 1)
        return `function ${name}(${name}x) { return ${result} }
          t(${this.id()}, ${name}(1))${this.end()}`
      },
    ]
    if (at.waits) {
      nested.push(() => {
        const [text, labels] = label(true)
        const name = `x${this.id()}`
        const writable = at.writes.length > 0 ? this.one(...at.writes) : name
        const [left, names] = this.one<[string, string[]]>(
          [`const ${name}`, [name]],
          [`let ${name}`, [name]],
          [`var ${name}`, [name]],
          [`const [${name} = ${e(1)}]`, [name]],
          [`const { length: ${name} = ${e(1)} }`, [name]],
          at.writes.length > 0 ? [writable, []] : [`const ${name}`, [name]],
          at.writes.length > 0 ? [`{ length: ${writable} = 3 }`, []] : [`const ${name}`, [name]],
        )
        const body = inner({ ...loop, labels, reads: [...at.reads, ...names] })
        const one = this.one(body, body, `t(${this.id()}, ${names[0] ?? writable})${this.end()}`)
        return `${text}for await (${left} of ${this.many(at, depth)}) ${one}`
      })
      if (this.kinds.using)
        nested.push(() => {
          const name = `u${this.id()}`
          const inside = { ...at, reads: [...at.reads, `${name}.id`] }
          const opened = this.one(`file(${this.id()})`, this.awaited(at, `file(${this.id()})`))
          const lock = `lock(${this.id()})`
          const second = this.one(
            '',
            `using s${name} = ${this.one(lock, this.awaited(at, lock))};`,
            `await using s${name} = ${this.awaited(at, `file(${this.id()})`)};`,
          )
          return `{ await using ${name} = ${opened}; ${second} ${this.body(inside, depth - 1)} }`
        })
      if (!at.inAtomic)
        nested.push(
          () => `atomic: ${inner({ inAtomic: true, begins: false, yields: false })}`,
          () => `atomic: ${inner({ inAtomic: true, begins: false, yields: false })}`,
        )
    }
    if (!at.strict) nested.push(() => `with ({ g1: ${e(1)}, q${this.id()}: 2 }) ${inner()}`)
    return this.pick(3) === 0 ? this.one(...simple)() : this.one(...nested)()
  }

  /** Ways out of what is around. */
  private exits(at: Place): string[] {
    return [
      ...(at.isInLoop ? ['break', 'continue'] : at.isInSwitch ? ['break'] : []),
      ...at.labels.flatMap(({ name, isLoop }) => [`break ${name}`, ...(isLoop ? [`continue ${name}`] : [])]),
      ...(at.inAtomic && !at.isInLoop ? ['break atomic'] : []),
    ]
  }

  private variable(at: Place, depth: number): string {
    const name = `v${this.id()}`
    const e = this.expression(at, depth)
    const kind = this.one('let', 'const', 'var')
    const d = this.expression(at, 1)
    const text = this.one(
      `${kind} ${name} = ${e}`,
      `${kind} ${name} = ${e}`,
      `${kind} [${name} = ${d}, ...r${name}] = [${e}]`,
      `${kind} { a: ${name} = ${d}, [${this.expression(at, 1)}]: k${name} } = { a: ${e} }`,
      `${kind} { length: ${name} = ${d} } = ${this.one(e, `'abc'`)} ?? 1`,
    )
    at.reads.push(name)
    if (kind !== 'const') at.writes.push(name)
    return text + this.end()
  }

  private assignment(at: Place, depth: number): string {
    if (at.writes.length === 0) return `t(${this.id()}, 0)`
    const name = this.one(...at.writes)
    const e = this.expression(at, depth)
    return this.one(
      `${name} = ${e}`,
      `${name} ${this.one('+=', '-=', '||=', '&&=', '??=', '**=')} ${e}`,
      `${name}++`,
      `;[${name}, ${name}] = [${e}, ${this.expression(at, 1)}]`,
      `;({ a: ${name} = ${e}, [${this.expression(at, 1)}]: ${name} } = { b: 1 })`,
      `;[${name} = ${e}] = []`,
    )
  }

  // ---- expressions

  /** An expression that is as strong as a call. */
  private expression(at: Place, depth: number): string {
    const e = (d = depth - 1): string => this.expression(at, d)
    const leaves: (() => string)[] = [
      () => String(this.pick(4)),
      () => this.one(`'s'`, 'null', 'undefined', 'true', '[1, 2]', `'ab'`),
      () => (at.reads.length > 0 ? this.one(...at.reads) : '1'),
      () => (at.reads.length > 0 ? this.one(...at.reads) : '1'),
    ]
    if (at.own)
      leaves.push(
        () => 'arguments.length',
        () => 'arguments[0]',
        () => '(new.target === undefined)',
      )
    if (at.hidden) leaves.push(() => '(#p in Object(this) && this.#p)')
    if (at.base)
      leaves.push(
        () => 'super.m?.name',
        () => 'this?.v',
      )
    if (depth <= 0) return this.one(...leaves)()
    const more: (() => string)[] = [
      ...leaves,
      () => `t(${this.id()}, ${e()})`,
      () => `(${e()} ${this.one('+', '-', '*', '<', '===', '%', '&&', '||', '??')} ${e()})`,
      () => `(${e()} ? ${e()} : ${e()})`,
      () => `(${e()}, ${e()})`,
      () => `(${this.one('!', '-', 'typeof ', 'void ')}${e()})`,
      () => `\`a\${${e()}}b\${${e()}}\``,
      () => `tag\`x\${${e()}}\\n\``,
      () => `[${e()}, ...[${e()}], ${e()}].length`,
      () => `({ a: ${e()}, [${e()}]: ${e()}, ...${e()} }).a`,
      () => `(${this.assignment(at, depth - 1).replace(/^;/, '')})`,
      () => `(() => ${this.expression({ ...at, waits: false, yields: false }, depth - 1)})()`,
      () => {
        const inside = { ...at, waits: false, yields: false, own: false, base: false, hidden: false }
        return `(class { static [${e()}] = 1; static x = ${this.expression(inside, 1)} }).x`
      },
      () => `new (class { constructor(x) { this.x = x } })(${e()}).x`,
      () => `eval('${this.one(...at.reads, '1').replace(/'/g, '')}')`,
    ]
    if (this.kinds.stores) {
      const quiet = { ...at, waits: false, yields: false }
      const inside = (): string => `() => ${this.expression(quiet, depth - 1)}`
      more.push(
        () => `${this.way()}(${inside()})`,
        () => `t(${this.id()}, ${e()})`,
        () => {
          const enter = `storage.enterWith('e${this.id()}')`
          const way = this.way(at.isMain ? 'plain' : 'enters')
          return `${way}(() => (${enter}, t(${this.id()}, ${this.expression(quiet, 1)})))`
        },
      )
    }
    if (at.base)
      more.push(
        () => `super.m?.(${e()})`,
        () => `(super.v = ${e()})`,
        () => `super[${e()}]`,
        () => `super.m\`a\${${e()}}\``,
      )
    if (at.waits)
      for (let i = 0; i < 5; i++)
        more.push(
          () => `(await ${this.operand(at, depth)})`,
          () => `(await ${this.operand(at, depth)})`,
        )
    if (at.yields && !at.inAtomic) more.push(() => `(${this.yielded(at, depth)})`)
    return this.one(...more)()
  }

  private yielded(at: Place, depth: number): string {
    return this.one(
      `yield ${this.expression(at, depth - 1)}`,
      `yield ${this.expression(at, depth - 1)}`,
      // Node 20 does not throw a TypeError where an iterator, as that of an array, cannot be thrown into.
      `yield* ${this.many(at, depth - 1).replace(/^\[.*/, `iterable(${this.id()}, 2)`)}`,
      'yield',
    )
  }

  /** What can be iterated. */
  private many(at: Place, depth: number): string {
    const generators = this.callables.filter(({ generator }) => generator)
    const e = (): string => this.expression(at, Math.min(1, depth))
    const found = [
      `[${e()}, ${this.one('later(2)', e())}]`,
      `stream(${this.id()}, 2)`,
      `iterable(${this.id()}, 2)`,
      this.awaited(at, `stream(${this.id()}, 2)`),
    ]
    for (const { name } of generators) {
      found.push(`${name}(${e()})`, `${name}(${e()}, ${e()})`)
      if (this.kinds.stores) found.push(`${this.way('waits')}(${name}, ${e()})`)
    }
    return this.one(...found)
  }

  private awaited(at: Place, what: string): string {
    return at.waits ? `(await later(${what}))` : what
  }

  /** What stands behind `await`. */
  private operand(at: Place, depth: number): string {
    const e = (d = depth - 1): string => this.expression(at, d)
    const calls = this.callables.filter(({ generator }) => !generator)
    const generators = this.callables.filter(({ generator }) => generator)
    const found: (() => string)[] = [
      () => e(),
      () => `later(${e()})`,
      () => `thenable(${e()})`,
      () => `(${e()} ? later(${e()}) : ${e()})`,
    ]
    if (this.pick(6) === 0) found.push(() => `fails(${e()})`)
    const rest = (base: boolean): string => this.functionRest({ ...at, base }, depth - 1, false)
    if (depth > 1)
      found.push(
        () => `(${this.arrow(at, depth - 1)})(${e()}, ${e()})`,
        () => `(async function ${rest(false)})(${e()})`,
        () => `({ async m${rest(true)} })${this.one('.m', '?.m?.', `['m']`)}(${e()})`,
      )
    for (const { name } of calls)
      found.push(
        () => `${name}(${this.one('', e(), `${e()}, ${e()}`, `...[${e()}, ${e()}]`)})`,
        () => `${name}?.(${e()})`,
        () => `(${e()} && ${name}(${e()}))`,
        () => `${name}\`a\${${e()}}\``,
      )
    if (this.kinds.stores) {
      found.push(
        () => `hop(${this.id()}, ${e()})`,
        () => `asks(${this.id()}, ${e()})`,
        () => `emits(${this.id()}, ${e()})`,
        () => `${this.way()}(hop, ${this.id()}, ${e()})`,
        () => `${this.way()}(asks, ${this.id()}, ${e()})`,
        () => `${this.way()}(later, ${e()})`,
      )
      if (depth > 1) {
        found.push(
          () => `${this.way('waits')}(${this.arrow(at, depth - 1)}, ${e()}, ${e()})`,
          () => `${this.way('waits')}(async function ${rest(false)}, ${e()})`,
          () => `${this.way('waits')}(async () => ${this.expression(insideFunction(at, []), depth - 1)})`,
        )
        const still = (): string => this.expression({ ...at, waits: false, yields: false }, depth - 1)
        for (const { name } of calls)
          found.push(
            () => `${this.way('waits')}(${name}, ${e()}, ${e()})`,
            () => `${this.way('waits')}(() => ${name}(${still()}))`,
            () => `${this.way('waits')}(() => [${name}(${still()})][0])`,
            () => `Promise.${this.one('all', 'race', 'any')}([${this.way('waits')}(${name}, ${e()})])`,
            () => `Promise.allSettled([later(1), 2].map((x) => ${this.way('waits')}(later, x)))`,
          )
      }
    }
    for (const { name } of generators)
      found.push(() => {
        const asks = [`next(${this.pick(3)})`, `${this.one('next', 'return', 'throw')}(${this.one('5', 'later(6)')})`]
        const told = asks.map((ask) => `t(${this.id()}, await g.${ask})`)
        return `(async (g) => [${told.join(', ')}].length)(${name}(1))`
      })
    return this.one(...found)()
  }
}

/** A program that defines `main`. */
export function randomProgram(next: () => number, kinds: Kinds): string {
  return new Writer(next, kinds).program()
}
