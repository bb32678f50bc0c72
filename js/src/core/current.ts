/**
 * The domain that is in use. It stands in a file of its own that needs no scheduler: the modules that ask for the
 * domain when they run do not need it when they are loaded, so their order does not matter. domain.ts makes it; every
 * entry point that starts activities imports that.
 *
 * All copies of the library in a program have one domain, if they speak the same protocol (see kind.ts): those of
 * several versions in node_modules, of a bundle beside them, and of frames of one origin. So an atomic block of one
 * copy excludes the activities of the others. The first that makes a domain puts it where the others find it; `use`
 * tells them all when a test replaces it.
 */
import type { Domain } from './types.ts'
import { PROTOCOL } from './kind.ts'
import { say, TWO_VERSIONS } from './say.ts'

/** What the copies share, at `globalThis[Symbol.for('charcoal')][protocol]`. */
interface Shared {
  domain: Domain | null
  /** Told the new domain. A frame that is gone takes its copy along. */
  readonly copies: Set<WeakRef<(d: Domain) => void>>
}

type Global = { parent?: Global; [SHARED]?: Record<number, Shared> }
const SHARED = Symbol.for('charcoal')

function sharedBy(global: Global): Shared | undefined {
  try {
    const { parent } = global
    return global[SHARED]?.[PROTOCOL] ?? (parent !== global ? sharedBy(parent!) : undefined)
  } catch {
    return undefined // `parent` is a frame of another origin, or there is none
  }
}

const shared: Shared = sharedBy(globalThis as Global) ?? { domain: null, copies: new Set() }
const protocols = ((globalThis as Global)[SHARED] ??= {})
protocols[PROTOCOL] = shared

/**
 * The domain of this realm. Programs that start no activities have none, and may await clauses, and operations that
 * consist of them, all the same: a lock alone takes along no scheduler.
 */
export let domain = shared.domain ?? ({
  current: null,
  pending: null,
  fromHost: (f: () => void) => f(),
} as unknown as Domain)

// A copy lives as long as its realm, which holds this function.
const use = ((globalThis as any)[Symbol()] = (d: Domain): void => void (domain = d))
shared.copies.add(new WeakRef(use))

/** Makes the domain, unless another copy has made it. */
export function shareDomain(make: () => Domain): void {
  if (shared.domain !== null) return
  useDomain(make())
  const domains = Object.values(protocols).filter((of) => of.domain !== null)
  if (domains.length === 2) console.warn(say(TWO_VERSIONS))
}

/** Makes `d` the domain that new activities belong to, in all copies; returns the one before. For tests. */
export function useDomain(d: Domain): Domain {
  const before = domain
  shared.domain = d
  for (const copy of shared.copies) copy.deref()?.(d)
  return before
}

/** Set in development mode: tells the detector that the continuation running now is the library's own. */
export let noteOurs: () => void = () => {}

export function setNoteOurs(f: () => void): void {
  noteOurs = f
}
