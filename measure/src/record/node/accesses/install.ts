/**
 * Switches the watching of accesses on, in the recorded program: rewrites its own files as they are loaded, and notes
 * what it does to files on disk.
 */
import fs from 'node:fs'
import Module, { register, syncBuiltinESMExports } from 'node:module'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { here, isUsers, translatePlaces, type Place } from '../stack.ts'
import { Flows, type Activation } from './flows.ts'
import { disguise } from './disguise.ts'
import { FILE_SITES, GLOBAL, isOwn, originalColumn, type FileSite, type FileSites } from './sites.ts'
import { transform } from './transform.ts'
import { Watch } from './watch.ts'

export interface Accesses {
  flows: Flows
  watch: Watch
  /** What a site says; undefined: its file is unknown. */
  describe(site: number): { place: Place; text: string; function?: Place } | undefined
}

export function installAccesses(now: () => number): Accesses {
  const flows = new Flows()
  const watch = new Watch(flows, now)
  const files = new Map<number, { url: string; sites: FileSite[] }>()
  const moved = new Map<string, FileSites>()
  const outside: { place: Place; text: string }[] = []
  const runtime = new Runtime(flows, watch, (file, url, sites) => {
    files.set(file, { url, sites: sites.sites })
    moved.set(url, sites)
  })
  Object.defineProperty(globalThis, GLOBAL, { value: runtime })
  translatePlaces((place) => {
    const sites = moved.get(place.url)
    if (sites === undefined) return place
    const { begin } = place
    return {
      ...place,
      column: originalColumn(sites, place.line, place.column),
      ...(begin !== undefined && { begin: [begin[0], originalColumn(sites, begin[0], begin[1])] as [number, number] }),
    }
  })
  disguise((url) => moved.get(url))
  rewriteModules()
  watchFiles((name, text, writes) => {
    const { inner } = here()
    if (inner === null || !isUsers(inner.url) || !isOwn(inner.url)) return
    let site = outside.findIndex((o) => o.place === inner)
    if (site === -1) site = outside.push({ place: inner, text }) - 1
    watch.note(onDisk, path.resolve(name), -2 - site, writes)
  })
  return {
    flows,
    watch,
    describe(site) {
      if (site <= -2) return outside[-2 - site]
      const file = files.get(Math.floor(site / FILE_SITES))
      const found = file?.sites[site % FILE_SITES]
      if (found === undefined) return undefined
      const [line, column, name, functionLine, functionColumn, text] = found
      const begin: [number, number] = [functionLine, functionColumn]
      const { url } = file!
      return {
        place: { url, line, column, name, begin },
        text,
        function: { url, line: functionLine, column: functionColumn, name },
      }
    },
  }
}

/** Stands for the file system: its variables are paths. */
const onDisk = {}

/** What rewritten code calls; see `transform.ts`. */
class Runtime {
  private readonly flows: Flows
  private readonly watch: Watch
  private readonly loaded: (file: number, url: string, sites: FileSites) => void
  private readonly modules = new Map<number, object>()

  constructor(flows: Flows, watch: Watch, loaded: (file: number, url: string, sites: FileSites) => void) {
    this.flows = flows
    this.watch = watch
    this.loaded = loaded
  }

  /** A rewritten file introduces itself. */
  file(file: number, url: string, sites: () => FileSites): void {
    this.loaded(file, url, sites())
  }

  enter(site: number): Activation {
    return this.flows.enter(site)
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

  /** What a module's variables belong to. */
  module(file: number): object {
    let found = this.modules.get(file)
    if (found === undefined) this.modules.set(file, (found = {}))
    return found
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
    this.property(object, key, site, false)
    this.property(object, key, site, true)
    return object
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

  ku<K>(object: unknown, key: K, site: number): K {
    this.property(object, key, site, false)
    this.property(object, key, site, true)
    return key
  }

  /** What is about to be stored. */
  put<T>(object: unknown, key: unknown, site: number, value: T): T {
    this.property(object, key, site, true)
    return value
  }

  /** Properties are taken from an object by a pattern: names and sites in turn. */
  d<T>(object: T, told: (string | number)[]): T {
    for (let i = 0; i < told.length; i += 2) this.property(object, told[i], told[i + 1] as number, false)
    return object
  }

  /** `key in object`: the object is answered. */
  in<T>(object: T, key: unknown, site: number): T {
    this.property(object, key, site, false)
    return object
  }

  private property(object: unknown, key: unknown, site: number, writes: boolean): void {
    if (typeof object !== 'object' || object === null) return
    // How long an array is changes with what is in it.
    if (key === 'length' && Array.isArray(object)) return this.watch.note(object, 'contents', site, writes)
    // A name that is an object becomes text by code of the program, which runs once, and not here.
    if (typeof key === 'number') this.watch.note(object, String(key), site, writes)
    else if (typeof key === 'string' || typeof key === 'symbol') this.watch.note(object, key, site, writes)
  }

  /** A variable is read. */
  n(scope: object, name: string, site: number): void {
    this.watch.note(scope, name, site, false)
  }

  /** A variable was assigned to. */
  a<T>(scope: object, name: string, site: number, value: T): T {
    this.watch.note(scope, name, site, true)
    return value
  }

  key<K>(object: unknown, key: K, site: number, writes: boolean): K {
    if (object instanceof Map || object instanceof Set || object instanceof WeakMap || object instanceof WeakSet) {
      // The entry; `size` and `clear` are the whole's.
      this.watch.note(entriesOf(object), key, site, writes)
    }
    return key
  }

  /** `moves`: elements have other numbers afterwards. */
  all<T>(object: T, site: number, writes: boolean, moves = false): T {
    if (Array.isArray(object) || object instanceof Map || object instanceof Set)
      this.watch.note(object, 'contents', site, writes)
    if (moves && Array.isArray(object)) this.watch.note(object, 'order', site, true)
    return object
  }
}

const entries = new WeakMap<object, object>()

/** Stands for the entries of a map, beside its properties. */
function entriesOf(map: object): object {
  let found = entries.get(map)
  if (found === undefined) entries.set(map, (found = {}))
  return found
}

/** Odd numbers; the loader, in a thread of its own, has the even ones. */
let lastFile = -1

function rewriteModules(): void {
  const prototype = (Module as any).prototype
  const compile = prototype._compile
  prototype._compile = function (this: unknown, content: string, filename: string, ...rest: unknown[]) {
    const url = pathToFileURL(filename).href
    const rewritten = isOwn(url) && content.length < 1 << 20 ? transform(content, url, false, (lastFile += 2)) : null
    return compile.call(this, rewritten?.code ?? content, filename, ...rest)
  }
  register(new URL('./loader.mjs', import.meta.url).href)
}

type NoteFile = (name: string, text: string, writes: boolean) => void

const READS = [
  'readFile',
  'stat',
  'lstat',
  'access',
  'exists',
  'readdir',
  'readFileSync',
  'statSync',
  'existsSync',
  'accessSync',
  'createReadStream',
]
const WRITES = [
  'writeFile',
  'unlink',
  'rm',
  'rmdir',
  'mkdir',
  'open',
  'rename',
  'truncate',
  'writeFileSync',
  'unlinkSync',
  'rmSync',
  'rmdirSync',
  'mkdirSync',
  'openSync',
  'renameSync',
  'createWriteStream',
]

/** Opening to read, and making a folder unless it is there, change nothing that another has made. */
function changes(name: string, options: any): boolean {
  if (name.startsWith('open')) return typeof options === 'string' && !/^r[^+]*$/.test(options)
  return !name.startsWith('mkdir') || options?.recursive !== true
}

function watchFiles(note: NoteFile): void {
  for (const module of [fs, fs.promises] as any[]) {
    for (const [names, writes] of [
      [READS, false],
      [WRITES, true],
    ] as const) {
      for (const name of names) {
        const native = module[name]
        if (typeof native !== 'function') continue
        const wrapped = {
          [name](this: unknown, ...args: unknown[]) {
            const [file, options] = args
            const changed = writes && changes(name, options)
            if (name.startsWith('rename') && typeof options === 'string')
              note(options, `the file ${path.basename(options)}`, true)
            if (typeof file === 'string') note(file, `the file ${path.basename(file)}`, changed)
            else if (file instanceof URL && file.protocol === 'file:')
              note(file.pathname, `the file ${path.basename(file.pathname)}`, changed)
            return native.apply(this, args)
          },
        }[name]
        // Its length, and what `util.promisify` asks, too.
        module[name] = Object.defineProperties(wrapped, Object.getOwnPropertyDescriptors(native))
      }
    }
  }
  syncBuiltinESMExports()
}
