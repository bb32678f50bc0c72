/**
 * Development mode: reports legacy continuations that run inside an atomic block, and records where activities were
 * spawned.
 *
 * In Node `async_hooks` sees every continuation, native `await` included. In browsers only what `interpose` reaches is
 * seen.
 *
 * A continuation is foreign if it was registered neither by the block's code nor by a continuation that belongs to the
 * block.
 */
import { blockOf, type AtomicBlock } from '../core/atomicBlock.ts'
import { domain, setNoteOurs } from '../core/current.ts'
import type { Domain } from '../core/types.ts'
import { interpose } from './interpose.ts'
import { placeOfCaller } from '../diagnosis/place.ts'
import { warnOfUntransformed } from '../dev/untransformed.ts'

/** A legacy continuation that ran inside an atomic block. */
export interface Foreign {
  /** The activity whose block was entered. */
  block: string
  /** What ran: `Timeout`, `PROMISE`, `event click` … */
  kind: string
  /** Where it was registered. */
  site: string
}

/**
 * Switches development mode on; the result switches it off. `report` gets every foreign continuation; default: a
 * warning on the console. Files with `atomic: { … }` blocks that were not transformed, among those loaded by now, are
 * warned of.
 *
 * @example
 * const seen = new Set<string>()
 * const stop = develop((foreign) => seen.add(`${foreign.kind} inside the block of ${foreign.block}`))
 * const bill = spawn(function* () { yield* atomic(sleep(200)) }, { name: 'bill' })
 * setTimeout(() => {}, 100)
 * yield* bill
 * console.log(seen.has('Timeout inside the block of bill'))  // → true
 * stop()
 */
export function develop(report: (foreign: Foreign) => void = warn): () => void {
  const d = domain
  const own = { d }
  inForce.add(own)
  d.site = () => placeOfCaller(1)
  warnOfUntransformed((message) => console.warn(message))
  const hooks = (globalThis as any).process?.getBuiltinModule?.('node:async_hooks')
  const stop = hooks === undefined ? watchCallbacks(report) : watchHooks(hooks, report)
  return () => {
    if (!inForce.delete(own)) return
    if (![...inForce].some((other) => other.d === d)) d.site = null
    stop()
  }
}

/** Who wants development mode, each in its domain. */
const inForce = new Set<{ readonly d: Domain }>()

function warn(foreign: Foreign): void {
  const what = `a legacy continuation (${foreign.kind}) ran inside the atomic block of ${foreign.block}`
  console.warn(`charcoal: ${what}; registered at\n${foreign.site}`)
}

function blockOwner(): string {
  const block = domain.top as unknown as { owner?: { activity: { name: string } } }
  return block.owner?.activity.name ?? ''
}

function watchCallbacks(report: (foreign: Foreign) => void): () => void {
  return interpose((kind, site, run) => {
    report({ block: blockOwner(), kind, site: site ?? '' })
    run()
  }, true)
}

const INTERNAL = new Set([
  'TickObject',
  'TIMERWRAP',
  'FSREQCALLBACK',
  'FSREQPROMISE',
  'TCPWRAP',
  'PIPEWRAP',
  'TTYWRAP',
  'SHUTDOWNWRAP',
  'WRITEWRAP',
  'MESSAGEPORT',
  'RANDOMBYTESREQUEST',
])

function watchHooks(hooks: any, report: (foreign: Foreign) => void): () => void {
  const sites = new Map<number, string>()
  const own = new Map<number, AtomicBlock>()
  const running: number[] = []
  let candidate: { id: number; kind: string } | null = null
  const kinds = new Map<number, string>()
  const hook = hooks.createHook({
    init(id: number, kind: string) {
      if (INTERNAL.has(kind)) return
      kinds.set(id, kind)
      const { current } = domain
      const block = current === null ? own.get(running[running.length - 1]) : blockOf(current)
      if (block) {
        block.noted = true
        own.set(id, block)
      } else sites.set(id, userFrames(new Error().stack))
    },
    before(id: number) {
      running.push(id)
      if (domain.top === domain.base || domain.pumping || !kinds.has(id) || own.get(id) === domain.top) return
      candidate = { id, kind: kinds.get(id)! }
    },
    after(id: number) {
      running.pop()
      if (candidate?.id === id) {
        const site = sites.get(id) ?? ''
        const { kind } = candidate
        candidate = null
        if (site !== '') report({ block: blockOwner(), kind, site })
      }
    },
    destroy(id: number) {
      sites.delete(id)
      own.delete(id)
      kinds.delete(id)
    },
  })
  hook.enable()
  const isOurs = (): void => {
    candidate = null
  }
  toldOfOurs.add(isOurs)
  setNoteOurs(() => toldOfOurs.forEach((f) => f()))
  return () => {
    hook.disable()
    toldOfOurs.delete(isOurs)
    if (toldOfOurs.size === 0) setNoteOurs(() => {})
  }
}

/** Told that the continuation that runs now is the library's own. */
const toldOfOurs = new Set<() => void>()

function userFrames(stack: string | undefined): string {
  return (stack ?? '')
    .split('\n')
    .slice(2)
    .filter((line) => !line.includes('node:'))
    .join('\n')
}
