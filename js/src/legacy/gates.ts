/**
 * Gates: what callbacks of legacy code meet when they run while an atomic block lasts that they do not belong to. There
 * may be several, one that reports and one that holds back.
 *
 * A continuation belongs to an atomic block if it was registered by the block's own code, or by a continuation that
 * belongs to it. It passes all gates always. Which gates a callback meets is decided when it runs; without any, it runs
 * as if nothing had been.
 */
import { blockOf, type AtomicBlock } from '../core/atomicBlock.ts'
import { domain } from '../core/current.ts'

/** Asked for every callback that runs while a block it does not belong to lasts. Calls `run` now or later. */
export type Gate = (kind: string, site: string | undefined, run: () => void) => void

interface Placed {
  readonly gate: Gate
  readonly withSites: boolean
}

const gates = new Set<Placed>()

/** Is there a gate? */
export function hasGates(): boolean {
  return gates.size > 0
}

/** Places a gate; the result takes it away. */
export function place(gate: Gate, withSites: boolean): () => void {
  const placed: Placed = { gate, withSites }
  gates.add(placed)
  return () => void gates.delete(placed)
}

let owner: AtomicBlock | null = null

/** The block whose continuation is registering now. */
export function belongsTo(): AtomicBlock | null {
  const block = domain.current === null ? owner : blockOf(domain.current)
  if (block !== null) block.noted = true
  return block
}

/** Where the continuation is registered that a gate may want to name. */
export function siteOf(kind: string): string | undefined {
  for (const { withSites } of gates) if (withSites) return new Error(kind).stack
  return undefined
}

function foreignTo(block: AtomicBlock | null): boolean {
  return (
    domain.top !== domain.base &&
    (block === null || block.over || domain.current === null) &&
    block !== (domain.top as unknown)
  )
}

/** A callback that was registered while there was a gate. */
export interface Continuation {
  readonly kind: string
  readonly site: string | undefined
  /** What it belongs to. */
  block: AtomicBlock | null
}

/** Does `continuation` meet a gate, if it runs now? */
export function isGated({ block }: Continuation): boolean {
  return gates.size > 0 && foreignTo(block)
}

/** Runs `f` as code of what `continuation` belongs to. */
export function runAs<R>({ block }: Continuation, f: () => R): R {
  const before = owner
  owner = block
  try {
    return f()
  } finally {
    owner = before
  }
}

/** Runs `f` when all gates have let it pass: those that it meets then. */
export function gated<R>(continuation: Continuation, f: () => R): R | undefined {
  let passed: Set<Placed> | undefined
  let value: R | undefined
  const run = (): void => {
    if (isGated(continuation)) {
      passed ??= new Set()
      for (const placed of gates) {
        if (passed.has(placed)) continue
        passed.add(placed)
        return placed.gate(continuation.kind, continuation.site, run)
      }
    }
    value = runAs(continuation, f)
  }
  run()
  return value
}
