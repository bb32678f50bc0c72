/**
 * Random programs whose answer is known by construction. Each has functions that use a shared place of their own: in a
 * risky one a value is read before a wait and decides what is written after it, while other calls of the function do
 * the same; a safe one has the same parts in an order, or with callers, in which nothing can come between.
 */

/** A number below `n`. */
export type Choose = (n: number) => number

export interface Gaps {
  program: string
  /** The names of the functions, and of what each is made. */
  risky: Map<string, string>
  safe: Map<string, string>
}

/** Something shared: how it is declared, read and written. `i` is the number of the call. */
interface Place {
  declare: string
  /** Of the class whose method the function is. */
  field?: string
  read: string
  write(value: string): string
}

const assigned = (declare: string, read: string): Place => ({
  declare,
  read,
  write: (value) => `${read} = ${value}`,
})

const PLACES: Record<string, (v: string) => Place> = {
  variable: (v) => assigned(`let ${v} = 0`, v),
  property: (v) => assigned(`const ${v} = { n: 0 }`, `${v}.n`),
  nested: (v) => assigned(`const ${v} = { a: { b: 0 } }`, `${v}.a.b`),
  computed: (v) => assigned(`const ${v} = { k: 0 }, ${v}Key = 'k'`, `${v}[${v}Key]`),
  symbol: (v) => assigned(`const ${v}Key = Symbol('n'), ${v} = { [${v}Key]: 0 }`, `${v}[${v}Key]`),
  element: (v) => assigned(`const ${v} = [0]`, `${v}[0]`),
  'static field': (v) => assigned(`class ${v} { static n = 0 }`, `${v}.n`),
  accessor: (v) =>
    assigned(
      `class ${v}Of { #n = 0; get n() { return this.#n } set n(x) { this.#n = x } }\nconst ${v} = new ${v}Of()`,
      `${v}.n`,
    ),
  methods: (v) => ({
    declare: `class ${v}Of { n = 0; get() { return this.n } put(x) { this.n = x } }\nconst ${v} = new ${v}Of()`,
    read: `${v}.get()`,
    write: (value) => `${v}.put(${value})`,
  }),
  functions: (v) => ({
    declare: `let ${v} = 0\nfunction ${v}Read() { return ${v} }\nconst ${v}Write = (x) => { ${v} = x }`,
    read: `${v}Read()`,
    write: (value) => `${v}Write(${value})`,
  }),
  'asynchronous methods': (v) => ({
    declare:
      `class ${v}Of { n = 0; async load() { return this.n } async save(x) { this.n = x } }\n` +
      `const ${v} = new ${v}Of()`,
    read: `(await ${v}.load())`,
    write: (value) => `await ${v}.save(${value})`,
  }),
  'field of the object': () => ({ ...assigned('', 'this.n'), field: 'n = 0;' }),
  'private field of the object': () => ({ ...assigned('', 'this.#n'), field: '#n = 0;' }),
  map: (v) => ({
    declare: `const ${v} = new Map([['k', 0]])`,
    read: `${v}.get('k')`,
    write: (value) => `${v}.set('k', ${value})`,
  }),
  'map of maps': (v) => ({
    declare: `const ${v} = new Map([['a', new Map([['k', 0]])]])`,
    read: `${v}.get('a').get('k')`,
    write: (value) => `${v}.get('a').set('k', ${value})`,
  }),
  closure: (v) => ({
    declare: `const ${v} = (() => { let n = 0; return { get: () => n, set: (x) => { n = x } } })()`,
    read: `${v}.get()`,
    write: (value) => `${v}.set(${value})`,
  }),
  proxy: (v) =>
    assigned(`const ${v} = new Proxy({ n: 0 }, { get: (o, k) => Reflect.get(o, k), set: Reflect.set })`, `${v}.n`),
  'pattern of an arrow': (v) => ({
    ...assigned(`const ${v} = { n: 0 }, ${v}Of = ({ n }) => n`, `${v}.n`),
    read: `${v}Of(${v})`,
  }),
  'pattern of an arrow with defaults': (v) => ({
    ...assigned(`const ${v} = { a: { n: 0 } }, ${v}Of = (x, { a: { n = 1 } = {} } = {}) => { return n }`, `${v}.a.n`),
    read: `${v}Of(1, ${v})`,
  }),
  'length of a list': (v) => ({
    declare: `const ${v} = []`,
    read: `${v}.length`,
    write: (value) => `${v}.push(${value})`,
  }),
}

const WAITS: Record<string, string> = {
  timer: 'await sleep(1)',
  'timer of 0': 'await sleep(0)',
  microtask: 'await null',
  immediate: 'await new Promise((done) => setImmediate(done))',
  call: 'await rest()',
  all: 'await Promise.all([sleep(1), rest(), 5])',
  race: 'await Promise.race([sleep(1), rest()])',
  thenable: 'await { then(ok) { setTimeout(ok, 1) } }',
  loop: 'for (let k = 0; k < 2; k++) await sleep(1)',
  'loop over a generator': 'for await (const x of items()) log.push(x)',
  caught: 'try { await failing() } catch {}',
  'in a block': '{ const x = await one(); log.push(x) }',
}

/** What stands in a function that reads, waits and writes by what it has read. */
const FLOWS: Record<string, (place: Place, wait: string) => string> = {
  variable: ({ read, write }, wait) => `const old = ${read}; ${wait}; ${write('old + 1')}`,
  assigned: ({ read, write }, wait) => `let old; { old = ${read} } ${wait}; ${write('old + 1')}`,
  pattern: ({ read, write }, wait) => `const { old } = { old: ${read} }; ${wait}; ${write('old + 1')}`,
  list: ({ read, write }, wait) => `const [old] = [${read}]; ${wait}; ${write('old + 1')}`,
  helper: ({ read, write }, wait) => `const old = same(${read}); ${wait}; ${write('same(old) + 1')}`,
  text: ({ read, write }, wait) => `const old = \`\${${read}}\`; ${wait}; ${write('Number(old) + 1')}`,
  closure: ({ read, write }, wait) => `const old = ${read}, next = () => old + 1; ${wait}; ${write('next()')}`,
  condition: ({ read, write }, wait) => `if (${read} < 99) { ${wait}; ${write('i')} }`,
  'early return': ({ read, write }, wait) => `if (${read} > 99) return; ${wait}; ${write('i')}`,
  finally: ({ read, write }, wait) => `const old = ${read}; try { ${wait} } finally { ${write('old + 1')} }`,
  'in a loop': ({ read, write }, wait) => `for (const old of [${read}]) { ${wait}; ${write('old + 1')} }`,
  'of a promise': ({ read, write }, wait) =>
    `const old = Promise.resolve(${read}); ${wait}; ${write('(await old) + 1')}`,
  'a default': ({ read, write }, wait) => `const { old = ${read} } = {}; ${wait}; ${write('old + 1')}`,
  JSON: ({ read, write }, wait) =>
    `const copy = JSON.parse(JSON.stringify({ n: ${read} })); ${wait}; ${write('copy.n + 1')}`,
  'a switch': ({ read, write }, wait) => `switch (${read}) { default: ${wait}; ${write('i')} }`,
  'a loop that tests': ({ read, write }, wait) => `while (${read} < 99) { ${wait}; ${write('i')}; break }`,
  'of all': ({ read, write }) => `const [old] = await Promise.all([${read}, rest()]); ${write('old + 1')}`,
  'an argument': ({ read, write }) => write(`await later(${read})`),
  'an argument of then': ({ read, write }) => `const next = await later(${read}).then((x) => x + 1); ${write('next')}`,
  'and so on': ({ read, write }) => `if (${read} < 99 && (await one()) > 0) ${write('i')}`,
  'one or the other': ({ read, write }) => `const next = ${read} < 99 ? 1 + (await one()) : 0; ${write('next')}`,
  'one expression': ({ read, write }) => write(`${read} + (await one())`),
  'in each round': ({ read, write }) =>
    `const old = ${read}; for await (const x of items()) { log.push(x); ${write('old + 1')} }`,
  'in then': ({ read, write }) => {
    const kind = /^await/.test(write('')) ? 'async ' : ''
    return `const old = ${read}; return sleep(1).then(${kind}() => { ${write('old + 1')} })`
  },
}

/** The same parts, so that nothing can come between. */
const ORDERS: Record<string, (place: Place, wait: string) => string> = {
  'wait first': ({ read, write }, wait) => `${wait}; ${write(`${read} + 1`)}`,
  'wait last': ({ read, write }, wait) => `${write(`${read} + 1`)}; ${wait}`,
  'written only': ({ write }, wait) => `${wait}; ${write('i')}`,
  'read only': ({ read }, wait) => `const old = ${read}; ${wait}; log.push(old)`,
}

const CLASS = 'method of a class'

/** How a function is written: its text, and how it is called. `field` is one of the class that it is a method of. */
const FORMS: Record<string, (name: string, body: string, field: string) => { text: string; call: string }> = {
  function: (name, body) => ({ text: `async function ${name}(i) { ${body} }`, call: name }),
  arrow: (name, body) => ({ text: `const ${name} = async (i) => { ${body} }`, call: name }),
  method: (name, body) => ({ text: `const ${name}In = { async ${name}(i) { ${body} } }`, call: `${name}In.${name}` }),
  [CLASS]: (name, body, field) => ({
    text: `class ${name}In { ${field}async ${name}(i) { ${body} } }\nconst ${name}Of = new ${name}In()`,
    call: `${name}Of.${name}`,
  }),
}

/** Callers that never let two calls run beside each other; `f` is how the function is called. */
const CALLERS: Record<string, (f: string, name: string) => string> = {
  'one after the other': (f) => `for (let i = 0; i < 3; i++) await ${f}(i)`,
  'one call': (f) => `await ${f}(0)`,
  'a queue': (f, name) =>
    `let ${name}Turn = Promise.resolve()\n` +
    `const ${name}Next = (i) => (${name}Turn = ${name}Turn.then(() => ${f}(i)))\n` +
    `await Promise.all([${name}Next(0), ${name}Next(1), ${name}Next(2)])`,
}

const PRELUDE = `const log = []
const sleep = (ms) => new Promise((done) => setTimeout(done, ms))
const same = (x) => x
async function rest() { await sleep(1) }
async function one() { await null; return 1 }
async function later(x) { await sleep(1); return x }
async function failing() { await sleep(0); throw new Error('failed') }
async function* items() { yield 1; await sleep(0); yield 2 }
`

const pick = <T>(from: Record<string, T>, choose: Choose): [string, T] => {
  const all = Object.entries(from)
  return all[choose(all.length)]!
}

/** A program of `count` functions, whose drivers run beside one another. */
export function randomGaps(choose: Choose, count = 24): Gaps {
  const risky = new Map<string, string>()
  const safe = new Map<string, string>()
  let program = PRELUDE
  const drivers: string[] = []
  for (let n = 0; n < count; n++) {
    const name = `f${n}`
    const [placeName, makePlace] = pick(PLACES, choose)
    const [waitName, wait] = pick(WAITS, choose)
    const place = makePlace(`v${n}`)
    const [formName, form] = place.field === undefined ? pick(FORMS, choose) : [CLASS, FORMS[CLASS]!]
    const drawn = choose(6)
    // Where to read and to write waits, all that reads and writes is risky.
    const kind = drawn === 2 && placeName.startsWith('async') ? 3 : drawn
    const isRisky = kind < 2
    const [bodyName, body] = pick(kind === 2 ? ORDERS : FLOWS, choose)
    const [callerName, caller] = kind === 3 ? pick(CALLERS, choose) : ['beside each other', null]
    const isOwn = kind === 4 && place.field === undefined
    // One place for each call: in a list, by the number of the call.
    const each = kind === 5 || (kind === 4 && !isOwn)
    const used = each ? inList(`v${n}`) : place
    const { text, call } = form(name, `${isOwn ? `${place.declare}\n` : ''}${body(used, wait)}`, used.field ?? '')
    program += `${isOwn ? '' : `${used.declare}\n`}${text}\n`
    const calls = caller === null ? `await Promise.all([${[0, 1, 2].map((i) => `${call}(${i})`)}])` : caller(call, name)
    drivers.push(`async function drive${n}() { ${calls} }`)
    const made = [
      each ? 'a place for each call' : isOwn ? `own ${placeName}` : placeName,
      bodyName,
      waitName,
      formName,
      callerName,
    ]
    ;(isRisky ? risky : safe).set(name, made.join(', '))
  }
  program += `${drivers.join('\n')}\nawait Promise.all([${drivers.map((_, n) => `drive${n}()`)}])\n`
  return { program, risky, safe }
}

/** Objects in a list, one for each call. */
const inList = (v: string): Place => assigned(`const ${v} = [{ n: 0 }, { n: 0 }, { n: 0 }]`, `${v}[i].n`)
