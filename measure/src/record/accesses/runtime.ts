/**
 * What rewritten code calls to tell of its accesses and its activations; see `transform.ts`. Each call answers with the
 * value that the program's own expression has.
 */
import { has, isCollection, isKeyed, sizeOf } from './collections.ts'
import { delegated } from './delegated.ts'
import { Exported } from './exported.ts'
import type { Exports } from './exports.ts'
import { Flows, type Activation } from './flows.ts'
import { behindProxy } from './proxies.ts'
import type { FileSites } from './sites.ts'
import { COUNT } from './watch.ts'

/** Who is told of each access. */
export interface Notes {
  note(object: object, key: unknown, site: number, writes: boolean, also?: boolean): void
  noteAll(object: object, site: number, writes: boolean): void
  /** The sites where code was made while the program ran. */
  made: Set<number>
  /** It was accessed before. */
  knows(object: object, key: unknown): boolean
}

/** Names (0: all), sites, and what patterns inside take (0: there is none), in turn. */
type Taken = (string | number | Taken)[]

export class Runtime {
  private readonly flows: Flows
  private readonly watch: Notes
  private readonly loaded: (file: number, url: string, sites: FileSites) => void
  private readonly modules = new Map<number, object>()
  private readonly exported = new Exported()
  /** The names of modules that are imported as a whole, by the objects that stand for them. */
  private namespaces: WeakMap<object, string> | null = null

  constructor(flows: Flows, watch: Notes, loaded: (file: number, url: string, sites: FileSites) => void) {
    this.flows = flows
    this.watch = watch
    this.loaded = loaded
  }

  /** A rewritten file introduces itself. */
  file(file: number, url: string, sites: () => string): void {
    this.loaded(file, url, JSON.parse(sites()))
  }

  /** `owner`: the activation around a callback, in a page. */
  enter(site: number, owner?: Activation): Activation {
    return this.flows.enter(site, owner)
  }

  /**
   * A parameter's default value, which is evaluated before the function's body begins: what it reads is read by the
   * activation that the body then enters.
   */
  early<T>(site: number, value: () => T, owner?: Activation): T {
    const { flows } = this
    const caller = flows.current
    const activation = flows.early(site, owner)
    flows.current = activation
    try {
      const evaluated = value()
      flows.begun = activation
      return evaluated
    } finally {
      flows.current = caller
    }
  }

  /** The time that a timer of the activation that runs is asked for, ms. */
  sleep<T>(ms: T): T {
    const { current, costs, now } = this.flows
    if (current !== null && typeof ms === 'number' && ms > 0) costs.slept(current, now(), now() + ms * 1000)
    return ms
  }

  /** A promise's reaction that is registered here: what it does belongs to the activation that runs now. */
  cb<F>(reaction: F): F {
    const { flows } = this
    const { current } = flows
    if (typeof reaction !== 'function' || current === null) return reaction
    return function (this: unknown, ...args: unknown[]) {
      const activation = flows.enter(-1, current)
      try {
        return Reflect.apply(reaction, this, args)
      } finally {
        flows.leave(activation)
      }
    } as F
  }

  leave(activation: Activation): void {
    this.flows.leave(activation)
  }

  away<T>(activation: Activation, value: T): T {
    this.flows.away(activation)
    return value
  }

  back<T>(activation: Activation, site: number, value: T): T {
    this.flows.back(activation, site)
    return value
  }

  again(activation: Activation): void {
    this.flows.again(activation)
  }

  /** A generator begins, hands a value over (`out`), goes on (`on`), and leaves that to another one (`each`). */
  begin(site: number): Activation {
    return this.flows.begin(site)
  }

  out<T>(activation: Activation, value?: T): T | undefined {
    this.flows.handsOver(activation)
    return value
  }

  on<T>(activation: Activation, site: number, value: T): T {
    this.flows.askedFor(activation, site)
    return value
  }

  each<T>(activation: Activation, site: number, values: T): T | object {
    return delegated(this.flows, activation, site, values)
  }

  /** What a module's variables belong to. */
  module(file: number): object {
    let found = this.modules.get(file)
    if (found === undefined) this.modules.set(file, (found = {}))
    return found
  }

  /** A module tells what others can import. */
  exports(file: number, name: string, exports: Exports): void {
    this.exported.add(name, this.module(file), exports)
  }

  /** An imported name is read: perhaps a variable that its module changes. */
  im(module: string, name: string, site: number): void {
    const found = this.exported.variable(module, name)
    if (found !== undefined) this.watch.note(found.module, found.name, site, false)
  }

  /** A module that is imported as a whole: its properties are what it exports. The object is answered. */
  ns<T>(namespace: T, module: string): T {
    if (isObject(namespace)) (this.namespaces ??= new WeakMap()).set(namespace, module)
    return namespace
  }

  /**
   * What global variables belong to; null: the name is the language's or the host's. `declared`: the program has
   * declared it, so it is the program's from now on, whoever had it before.
   */
  global(name: string, declared = false): object | null {
    if (declared) builtin.delete(name)
    return builtin.has(name) ? null : globalThis
  }

  /** A property is about to be read (`r`), written (`w`), both (`u`): the object is answered. */
  r<T>(object: T, key: string, site: number): T {
    this.property(object, key, site, false)
    return object
  }

  w<T>(object: T, key: string, site: number): T {
    this.property(object, key, site, true)
    return object
  }

  u<T>(object: T, key: string, site: number): T {
    this.r(object, key, site)
    return this.w(object, key, site)
  }

  /** The same for a property whose name is computed: the name is answered. */
  k<K>(object: unknown, key: K, site: number): K {
    this.property(object, key, site, false)
    return key
  }

  /** A number in brackets: what stands there changes when others are taken out, too. */
  i(object: unknown, key: number, site: number): number {
    this.property(object, key, site, false)
    if (Array.isArray(object)) this.watch.note(object, 'order', site, false)
    return key
  }

  kw<K>(object: unknown, key: K, site: number): K {
    this.property(object, key, site, true)
    return key
  }

  /** A property is about to be deleted: the object, or the name, is answered. */
  x<T>(object: T, key: string, site: number): T {
    this.property(object, key, site, true, true)
    return object
  }

  kx<K>(object: unknown, key: K, site: number): K {
    this.property(object, key, site, true, true)
    return key
  }

  ku<K>(object: unknown, key: K, site: number): K {
    this.k(object, key, site)
    return this.kw(object, key, site)
  }

  /** What is about to be stored. */
  put<T>(object: unknown, key: unknown, site: number, value: T): T {
    this.property(object, key, site, true)
    return value
  }

  /** What a function of the language has written: its result is answered. */
  did<T>(result: T, object: unknown, key: unknown, site: number): T {
    this.property(object, key, site, true)
    return result
  }

  /** The last argument of a call, behind which is told what the call accesses: the argument is answered. */
  late<T>(last: T, _told: unknown): T {
    return last
  }

  /** Properties are taken from an object by a pattern. */
  d<T>(object: T, told: Taken): T {
    if (!isObject(object)) return object
    for (let i = 0; i < told.length; i += 3) {
      const name = told[i] as string | 0
      const inner = told[i + 2]
      if (name === 0) this.o(object, told[i + 1] as number, false)
      else if (name === 'length') this.len(object, told[i + 1] as number)
      else if (name === 'size') this.next(object, told[i + 1] as number)
      else this.property(object, name, told[i + 1] as number, false)
      // A getter would run twice.
      if (typeof inner === 'object') this.d(getOwnPropertyDescriptor(object, name)?.value, inner)
    }
    return object
  }

  /** How many properties an object has is read: the object is answered. */
  count<T>(object: T, site: number): T {
    if (isObject(object)) this.watch.note(object, COUNT, site, false)
    return object
  }

  /**
   * How many properties an object has is read, and not only tested: it can be taken for the name of the next one,
   * counted from 0 or from 1. The object is answered.
   */
  keys<T>(object: T, site: number): T {
    if (!isObject(object)) return object
    this.watch.note(object, COUNT, site, false)
    const count = namesOf(behindProxy(object, null) as object).length
    for (const next of [count, count + 1]) this.watch.note(object, String(next), site, false, true)
    return object
  }

  /** `key in object`: the object is answered. */
  in<T>(object: T, key: unknown, site: number): T {
    this.property(object, key, site, false)
    return object
  }

  private property(object: unknown, key: unknown, site: number, writes: boolean, deletes = false): void {
    if (!isObject(object)) return
    const module = this.namespaces?.get(object)
    if (module !== undefined) return typeof key === 'string' ? this.im(module, key, site) : undefined
    if (writes && this.watch.knows(object, COUNT) && hasOwn(object, key as PropertyKey) === deletes)
      this.changed(object, COUNT, site)
    // An array's length changes with its elements.
    if (key === 'length' && Array.isArray(object)) return this.watch.note(object, 'contents', site, writes)
    // A name that is an object becomes text by code of the program, which runs once, and not here.
    if (typeof key === 'number') {
      this.watch.note(object, String(key), site, writes)
      if (writes && isBehind(object, key)) this.watch.note(object, 'contents', site, true, true)
    } else if (typeof key === 'string' || typeof key === 'symbol') this.watch.note(object, key, site, writes)
  }

  /**
   * The length of a list is read, and not only tested: it can be taken for the number of the next element, so that one
   * is read, too. The object is answered.
   */
  len<T>(object: T, site: number): T {
    this.property(object, 'length', site, false)
    if (Array.isArray(object)) this.watch.note(object, String(object.length), site, false, true)
    return object
  }

  /** A variable is read. */
  n(scope: object | null, name: string, site: number): void {
    if (scope !== null) this.watch.note(scope, name, site, false)
  }

  /** A variable was assigned to. */
  a<T>(scope: object | null, name: string, site: number, value: T): T {
    if (scope !== null) this.watch.note(scope, name, site, true)
    return value
  }

  /** `grows`: undefined: an entry is read; true: it is set, and false: deleted. */
  key<K>(object: unknown, key: K, site: number, grows?: boolean): K {
    if (isKeyed(object)) {
      // The access is to one entry; `clear` is one to the whole.
      this.watch.note(entriesOf(object), key, site, grows !== undefined)
      if (grows !== undefined && isCollection(object)) this.resized(object, key, site, grows)
    }
    return key
  }

  /** A text, or something else, of which code is made that is not watched. */
  made<T>(text: T, site: number): T {
    this.watch.made.add(site)
    return text
  }

  /** A text that `eval` runs, and the same rewritten. */
  code(_written: string, rewritten: string): string {
    return rewritten
  }

  /** The size of a collection is tested: the object is answered. */
  size<T>(object: T, site: number): T {
    if (isCollection(object)) this.watch.note(object, SIZE, site, false)
    else this.property(object, 'size', site, false)
    return object
  }

  /**
   * The size of a collection is read, and not only tested: what does nothing but count its entries decides nothing, but
   * it can be taken for the key of the next entry, counted from 0 or from 1. The object is answered.
   */
  next<T>(object: T, site: number): T {
    if (!isCollection(object)) return this.r(object, 'size', site)
    const entries = entriesOf(object)
    const size = sizeOf(behindProxy(object, null))
    if (size === undefined) return object
    this.watch.note(entries, size, site, false)
    this.watch.note(entries, size + 1, site, false, true)
    return object
  }

  private resized(object: object, key: unknown, site: number, grows: boolean): void {
    if (this.watch.knows(object, SIZE) && has(behindProxy(object, null), key) === !grows)
      this.changed(object, SIZE, site)
  }

  /** A size or a count that was read changes by one: what others have done to it is not lost. */
  private changed(object: object, size: symbol, site: number): void {
    this.watch.note(object, size, site, false)
    this.watch.note(object, size, site, true)
  }

  /** All properties are read (`{ ...object }`), or written (`Object.assign(object, …)`). */
  o<T>(object: T, site: number, writes: boolean): T {
    const module = isObject(object) ? this.namespaces?.get(object) : undefined
    if (module !== undefined) {
      const names = ownKeys(object as object)
      for (let i = 0; i < names.length; i++) this.property(object, names[i], site, false)
    } else if (isObject(object)) this.watch.noteAll(object, site, writes)
    return object
  }

  /** Something is about to be put behind the last element of a list, if it is one: the object is answered. */
  push<T>(object: T, site: number): T {
    this.all(object, site, true)
    if (!Array.isArray(object)) return object
    const next = String(object.length)
    if (this.watch.knows(object, next)) this.watch.note(object, next, site, true, true)
    return object
  }

  /** `moves`: elements have other numbers afterwards. */
  all<T>(object: T, site: number, writes: boolean, moves = false): T {
    if (Array.isArray(object) || isCollection(object)) this.watch.note(object, 'contents', site, writes)
    if (writes && isCollection(object) && this.watch.knows(object, SIZE)) this.watch.note(object, SIZE, site, true)
    if (moves && Array.isArray(object)) this.watch.note(object, 'order', site, true)
    return object
  }
}

const { getOwnPropertyDescriptor, ownKeys } = Reflect
const { keys: namesOf } = Object
const { hasOwn } = Object

/** The global names that are there before the program begins. */
const builtin = new Set<unknown>(Reflect.ownKeys(globalThis))

/** An element that is put there makes the list longer. */
const isBehind = (object: object, key: unknown): boolean =>
  typeof key === 'number' && Array.isArray(object) && key >= object.length

/** Functions hold properties, too: those of classes that are `static`. */
const isObject = (value: unknown): value is object =>
  (typeof value === 'object' && value !== null) || typeof value === 'function'

/** Stands for how many entries a collection has, beside its properties. */
const SIZE = Symbol('size')

const entries = new WeakMap<object, object>()

/** Stands for the entries of a map, beside its properties. */
function entriesOf(given: object): object {
  const map = behindProxy(given, null)
  let found = entries.get(map)
  if (found === undefined) entries.set(map, (found = {}))
  return found
}
