/**
 * Switches the watching of accesses on, in the recorded program: rewrites its own files as they are loaded, and notes
 * what it does to files on disk.
 */
import fs from 'node:fs'
import Module, { syncBuiltinESMExports } from 'node:module'
import path from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { inFile, loaderMap, type ToFile } from '../loader_map.ts'
import { given } from '../../given.ts'
import type { Place } from '../../place.ts'
import { here, isUsers, translatePlaces } from '../stack.ts'
import { Flows } from '../../accesses/flows.ts'
import { disguise } from './disguise.ts'
import { keepNewest } from './loaders.ts'
import { isOwn } from './own.ts'
import { MAX_LENGTH } from './modules.ts'
import { noteProxies } from '../../accesses/proxies.ts'
import { Runtime } from '../../accesses/runtime.ts'
import {
  FILE_SITES,
  GLOBAL,
  originalColumn,
  runningColumn,
  type FileSite,
  type FileSites,
} from '../../accesses/sites.ts'
import { leftText, tooLong } from '../../unwatched_text.ts'
import { tellUnwatched } from './unwatched.ts'
import { transform } from '../../accesses/transform.ts'
import { rewriteScripts, type Register } from './vm_scripts.ts'
import type { Described } from '../../accesses/tell.ts'
import { Watch } from '../../accesses/watch.ts'

export interface Accesses {
  flows: Flows
  watch: Watch
  /** What a site says; undefined: its file is unknown. */
  describe(site: number): Described | undefined
}

export function installAccesses(now: () => number): Accesses {
  const flows = new Flows(now)
  const watch = new Watch(flows)
  const files = new Map<number, { url: string; sites: FileSite[] }>()
  const moved = new Map<string, FileSites>()
  /** From texts that the program has compiled itself to their files. */
  const held = new Map<string, ToFile>()
  const outside: { place: Place; text: string }[] = []
  const runtime = new Runtime(flows, watch, (file, url, sites) => {
    files.set(file, { url, sites: sites.sites })
    moved.set(url, sites)
  })
  Object.defineProperty(globalThis, GLOBAL, { value: runtime })
  translatePlaces((place) => {
    const { url, begin } = place
    const sites = moved.get(url)
    const toFile = held.get(url)
    if (sites === undefined || (toFile === undefined && loaderMap(url) !== null)) return inFile(place)
    const written = {
      ...place,
      column: originalColumn(sites, place.line, place.column),
      ...(begin !== undefined && { begin: [begin[0], originalColumn(sites, begin[0], begin[1])] as [number, number] }),
    }
    return toFile === undefined ? written : inFile(written, toFile)
  })
  /** Where a place of a rewritten text's sites lies in the file. */
  const ofTable = (url: string, line: number, column: number): [number, number] => {
    const ofText = held.get(url)
    if (ofText !== undefined) return ofText(line, column)
    const sites = moved.get(url)
    const toFile = loaderMap(url)
    return toFile === null || sites === undefined ? [line, column] : toFile(line, runningColumn(sites, line, column))
  }
  const disguiseRealm = disguise((url) => moved.get(url))
  noteProxies(globalThis)
  rewriteModules()
  const register: Register = (file, url, sites, toFile) => {
    files.set(file, { url, sites: sites.sites })
    moved.set(url, sites)
    toFile === null ? held.delete(url) : held.set(url, toFile)
  }
  rewriteScripts({ runtime, nextFile, register, disguiseRealm })
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
      const { url } = file!
      const [siteLine, siteColumn, name, functionLine, functionColumn, text] = found
      const [line, column] = ofTable(url, siteLine, siteColumn)
      const begin = ofTable(url, functionLine, functionColumn)
      return {
        place: { url, line, column, name, begin },
        text,
        function: { url, line: begin[0], column: begin[1], name },
        site: found,
      }
    },
  }
}

/** Stands for the file system: its variables are paths. */
const onDisk = {}

/** Odd numbers; the loader, in a thread of its own, has the even ones. */
let lastFile = -1
const nextFile = (): number => (lastFile += 2)

function rewriteModules(): void {
  const prototype = (Module as any).prototype
  const compile = prototype._compile
  prototype._compile = given(function (
    this: unknown,
    content: string,
    filename: string,
    format: unknown,
    ...rest: unknown[]
  ) {
    const url = pathToFileURL(filename).href
    const left = (why: string): void => tellUnwatched(leftText(url, why))
    const isShort = content.length < MAX_LENGTH
    if (isOwn(url) && !isShort) left(tooLong(MAX_LENGTH))
    const rewritten = isOwn(url) && isShort ? transform(content, url, format === 'module', nextFile(), left) : null
    return Reflect.apply(compile, this, [rewritten?.code ?? content, filename, format, ...rest])
  })
  keepNewest(nextFile)
}

type NoteFile = (name: string, text: string, writes: boolean) => void

const READS = [
  'readFile',
  'copyFile',
  'copyFileSync',
  'cp',
  'cpSync',
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
  'appendFile',
  'appendFileSync',
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

/** The path of a file as programs name it; undefined: it is none, and the program will hear that from Node. */
function pathOf(file: unknown): string | undefined {
  if (typeof file === 'string') return file
  try {
    return file instanceof URL ? fileURLToPath(file) : undefined
  } catch {
    return undefined
  }
}

function watchFiles(note: NoteFile): void {
  const noteNamed = (named: unknown, writes: boolean): void => {
    const file = pathOf(named)
    if (file !== undefined) note(file, `the file ${path.basename(file)}`, writes)
  }
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
            if (/^(rename|copyFile|cp)/.test(name)) noteNamed(options, true)
            noteNamed(file, writes && changes(name, options))
            return Reflect.apply(native, this, args)
          },
        }[name]
        // The replacement also has the length of the original, and the property that `util.promisify` asks for.
        module[name] = Object.defineProperties(given(wrapped), Object.getOwnPropertyDescriptors(native))
      }
    }
  }
  syncBuiltinESMExports()
}
