/**
 * What the program starts with an environment of its own, or after it has changed its own one, is recorded, too: the
 * recorder's variables are added. `fork`, `exec` and the like all come to `ChildProcess.spawn`; functions that wait for
 * their children do not, and neither do workers. A worker that is made of a text is not recorded, because Node imports
 * nothing before it, so the report names it.
 */
import childProcess, { ChildProcess } from 'node:child_process'
import { syncBuiltinESMExports } from 'node:module'
import workerThreads from 'node:worker_threads'
import { copied } from '../copied.ts'
import { given } from '../given.ts'
import { workerText } from '../unwatched_text.ts'
import { tellUnwatched } from './accesses/unwatched.ts'
import { CONFIG } from './config.ts'
import { here } from './stack.ts'

type Variables = Record<string, unknown>

/** Functions that start a process and wait for it. */
const WAITING = ['spawnSync', 'execSync', 'execFileSync']
const OPTIONS = 'NODE_OPTIONS'

/** `config`: what the recorder's own variable says; `hook`: the address of what Node is to import. */
export function handDown(config: string, hook: string): void {
  const importing = `--import=${hook}`

  /** What is missing in these variables; null: nothing. Those of another recorder stay as they are. */
  const missingIn = (variables: Variables): Variables | null => {
    const { [CONFIG]: theirs, [OPTIONS]: options } = variables
    const importsIt = typeof options === 'string' && options.includes(importing)
    if (theirs !== undefined && (importsIt || theirs !== config)) return null
    const ours = importsIt ? options : `${importing} ${typeof options === 'string' ? options : ''}`.trim()
    return { [CONFIG]: config, [OPTIONS]: ours }
  }

  /** Options whose environment has what was missing; null: nothing was. */
  const completed = (options: any): object | null => {
    const variables = options?.env ?? process.env
    const missing = typeof variables === 'object' ? missingIn(variables) : null
    return missing === null ? null : changed(options ?? {}, { env: changed(variables, missing) })
  }

  const { prototype } = ChildProcess as any
  const { spawn } = prototype
  prototype.spawn = given(function (this: unknown, options: any) {
    if (options?.envPairs !== undefined) {
      const pairs = copied(options.envPairs).map(String)
      const missing = missingIn(Object.fromEntries([CONFIG, OPTIONS].map((name) => [name, valueOf(pairs, name)])))
      if (missing !== null)
        options.envPairs = [
          ...pairs.filter((pair) => !Object.hasOwn(missing, pair.split('=', 1)[0]!)),
          ...Object.entries(missing).map(([name, value]) => `${name}=${value}`),
        ]
    }
    return Reflect.apply(spawn, this, [options])
  })

  const children = childProcess as any
  for (const name of WAITING) {
    const native = children[name]
    const ours = {
      [name](...args: any[]) {
        while (args.length > 1 && (args.at(-1) ?? null) === null) args.pop()
        const isLast = args.length > 1 && typeof args.at(-1) === 'object' && !Array.isArray(args.at(-1))
        const options = completed(isLast ? args.at(-1) : undefined)
        if (options !== null) args.splice(isLast ? -1 : args.length, 1, options)
        return Reflect.apply(native, children, args)
      },
    }[name]!
    children[name] = Object.defineProperties(given(ours), Object.getOwnPropertyDescriptors(native))
  }

  const { Worker, SHARE_ENV } = workerThreads
  ;(workerThreads as any).Worker = new Proxy(Worker, {
    construct(target, [file, options, ...rest], self) {
      if (options?.eval === true) tellUnwatched(workerText(here().inner))
      const changed = options?.env === SHARE_ENV ? null : completed(options)
      return Reflect.construct(target, [file, changed ?? options, ...rest], self)
    },
  })
  syncBuiltinESMExports()
}

const valueOf = (pairs: string[], name: string): string | undefined =>
  pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1)

/** A copy with these properties: Node also asks for what an environment or options inherit. */
const changed = (object: object, properties: object): object =>
  Object.setPrototypeOf({ ...object, ...properties }, Object.getPrototypeOf(object))
