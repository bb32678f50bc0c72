/**
 * Finds operations that others came between: one activation reads a variable and, after it has waited, writes it,
 * though another has written it meanwhile; no order of the two, one after the other, would have had that effect. As
 * `-fcharcoal-atomicity` does for native programs.
 *
 * Memory: the last accesses of each variable, for as long as its object lives; at most `MAX_FINDINGS` findings are kept
 * apart.
 */
import type { Cost } from './costs.ts'
import { common, inSequence, type Activation, type Flows } from './flows.ts'
import { behindProxy } from './proxies.ts'

interface Access {
  by: Activation
  at: number
  /** Microseconds. */
  time: number
  site: number
  writes: boolean
}

export interface Variable {
  /** A ring once it is full. */
  history: Access[]
  /** Where the last access is in it; means something only if there is one. */
  newest: number
}

export interface Finding {
  kind: 'lost update' | 'stale check' | 'changed between two reads' | 'partly written state was seen'
  first: number
  other: number
  second: number
  /** The function that the two accesses belong to, as a site; -1: unknown. */
  operation: number
  /** The awaits during which it waited between the two, as sites. */
  waits: Set<number>
  count: number
  /** When it was found last. */
  last: number
  /**
   * Each time the call in which the first access was had ended; each time the operation itself went on after the wait,
   * and made the second access or the call in which it was.
   */
  ended: boolean
  direct: boolean
  /** Each time the operation wrote it at once after the first access, too. */
  acted: boolean
  /** Of each time, from the first access to the second. */
  lengths: number[]
  costs: Cost[]
}

const HISTORY = 64
const MAX_FINDINGS = 2000
const MAX_LENGTHS = 300
const MAX_PAIRS = 20_000
const MAX_OF_ONE = 100
/** Stands for how many properties an object has. */
export const COUNT = Symbol('count')
/** Stands for what an object holds and nobody has asked for by name. */
const OTHERS = Symbol('others')

export class Watch {
  readonly flows: Flows
  readonly findings = new Map<string, Finding>()
  /** Told of each finding whenever it was seen. */
  found: (finding: Finding) => void = () => {}
  /** The sites where code was made that is not watched. */
  readonly made = new Set<number>()
  /** By the site of the first access, then of the second. */
  private readonly runs = new Map<number, Map<number, { count: number; last: number }>>()
  private pairs = 0
  /** Used again for each access: a program makes millions. */
  private readonly second: Access
  private readonly objects = new WeakMap<object, Map<unknown, Variable>>()
  /** What was asked for last: most often it is asked for again. Keeps that one object alive. */
  private lastObject: object | null = null
  private lastKey: unknown
  private lastVariable: Variable | null = null

  constructor(flows: Flows) {
    this.flows = flows
    this.second = { by: flows.make(null, -1), at: 0, time: 0, site: 0, writes: false }
  }

  /** `also`: the access that was noted last is one to this variable, too, so it is counted once. */
  note(object: object, key: unknown, site: number, writes: boolean, also = false): void {
    const by = this.flows.accessor()
    if (by === null) return
    const variable = this.variableOf(object, key)
    const { history } = variable
    const at = also ? this.flows.clock : ++this.flows.clock
    const last: Access | undefined = history[variable.newest]
    // No other operation has run since, so there is nothing to compare, and one entry is enough for both accesses.
    if (
      last !== undefined &&
      last.by === by &&
      last.writes === writes &&
      last.site === site &&
      by.resumedAt < last.at
    ) {
      last.at = at
      return
    }
    const { second } = this
    fill(second, by, at, this.flows.now(), site, writes)
    if (last !== undefined) this.judge(variable, second)
    if (++variable.newest === HISTORY) variable.newest = 0
    if (history.length < HISTORY) history[history.length] = { ...second }
    else fill(history[variable.newest], by, at, second.time, site, writes)
  }

  /** It was accessed before. */
  knows(object: object, key: unknown): boolean {
    return this.objects.get(holderOf(object, key))?.has(key) === true
  }

  /**
   * How often these two accesses were the beginning and end of an operation that waited in between, interrupted or
   * not.
   */
  operations(first: number, second: number): number {
    return this.runs.get(first)?.get(second)?.count ?? 0
  }

  /** All that the object holds is accessed: its variables that are known, and one that stands for the others. */
  noteAll(object: object, site: number, writes: boolean): void {
    let left = MAX_OF_ONE
    const keys: unknown[] = []
    this.objects.get(holderOf(object, OTHERS))?.forEach((_, key) => {
      if (key !== OTHERS && left-- > 0) keys[keys.length] = key
    })
    for (let i = 0; i < keys.length; i++) this.note(object, keys[i], site, writes)
    this.note(object, OTHERS, site, writes)
  }

  private variableOf(object: object, key: unknown): Variable {
    if (this.lastVariable !== null && object === this.lastObject && key === this.lastKey) return this.lastVariable
    const holder = holderOf(object, key)
    let variables = this.objects.get(holder)
    if (variables === undefined) this.objects.set(holder, (variables = new Map()))
    let variable = variables.get(key)
    if (variable === undefined) {
      if (variables.size > 10_000) variables.clear()
      const others = variables.get(OTHERS)
      // What was done to all that the object holds was done to this one, too.
      variable = others === undefined ? { history: [], newest: -1 } : copyOf(others)
      variables.set(key, variable)
    }
    this.lastObject = object
    this.lastKey = key
    this.lastVariable = variable
    return variable
  }

  private judge({ history, newest }: Variable, second: Access): void {
    let foreign: Access | undefined
    // An update (`n -= 1`) reads what it writes, and acts on what its operation has read before that.
    let updates = false
    for (let back = 0; back < history.length; back++) {
      const first = before(history, newest, back)
      // Before its tree began nothing was in sequence with it, and what is older is so, too.
      if (first.at < second.by.root) return
      const together = common(first.by, second.by)
      if (!inSequence(first.by, first.at, second.by, together)) {
        // Of several operations, one that has written says more.
        if (foreign === undefined || (!foreign.writes && first.writes)) foreign = first
        continue
      }
      if (!waitedBetween(first, second, together!)) {
        if (!isUpdate(first, second)) return
        updates = true
        continue
      }
      if (!updates && (!first.writes || second.writes)) this.count(first, second)
      const saved = second.writes && !updates ? readBefore(history, newest, back) : null
      if (saved !== null) this.count(saved, second)
      if (foreign === undefined) return
      if (saved !== null && foreign.writes) return this.find('lost update', saved, foreign, second, together!, true)
      const kind = kindOf(first.writes, foreign.writes, second.writes, updates)
      if (kind === null || (isOfReads(kind) && isAnswered(history, newest, back, second))) return
      // Two steps of a loop are two operations unless the second decides by what the first read.
      if (kind !== 'lost update' && first.by !== together && second.by !== together) return
      return this.find(kind, first, foreign, second, together!)
    }
  }

  private count(first: Access, second: Access): void {
    let ofFirst = this.runs.get(first.site)
    if (ofFirst === undefined) this.runs.set(first.site, (ofFirst = new Map()))
    const known = ofFirst.get(second.site)
    if (known === undefined) {
      if (this.pairs >= MAX_PAIRS) return
      this.pairs++
      ofFirst.set(second.site, { count: 1, last: second.at })
    } else if (known.last !== second.at) {
      known.count++
      known.last = second.at
    }
  }

  private find(
    kind: Finding['kind'],
    first: Access,
    foreign: Access,
    second: Access,
    together: Activation,
    acted = false,
  ): void {
    const key = `${kind} ${first.site} ${foreign.site} ${second.site}`
    let finding = this.findings.get(key)
    if (finding === undefined) {
      if (this.findings.size >= MAX_FINDINGS) return
      const { site: operation } = together
      finding = {
        kind,
        first: first.site,
        other: foreign.site,
        second: second.site,
        operation,
        waits: new Set(),
        count: 0,
        last: 0,
        ended: true,
        direct: true,
        acted: true,
        lengths: [],
        costs: [],
      }
      this.findings.set(key, finding)
    }
    if (finding.last === second.at) return
    finding.last = second.at
    finding.count++
    if (first.by === together) finding.ended = false
    if (!isDirect(first, second, together)) finding.direct = false
    if (!acted) finding.acted = false
    waitedBetween(first, second, together, finding.waits)
    const { lengths, costs } = finding
    if (lengths.length < MAX_LENGTHS) {
      lengths[lengths.length] = second.time - first.time
      costs[costs.length] = this.flows.costs.between(together, second.by, first.time, second.time)
    }
    this.found(finding)
  }
}

/** Of an object's variables: numbers of entries, and what stands for all others, belong to the whole. */
const holderOf = (object: object, key: unknown): object =>
  behindProxy(object, key === OTHERS || key === COUNT ? null : (key as PropertyKey))

function copyOf({ history, newest }: Variable): Variable {
  const copy: Access[] = []
  for (let i = 0; i < history.length; i++) copy[i] = { ...history[i] }
  return { history: copy, newest }
}

function fill(access: Access, by: Activation, at: number, time: number, site: number, writes: boolean): void {
  access.by = by
  access.at = at
  access.time = time
  access.site = site
  access.writes = writes
}

/**
 * True if the activation that both belong to, or one between it and the second access, has gone on after an `await`
 * since the first. The sites of these awaits are added to `sites`.
 */
function waitedBetween(first: Access, second: Access, together: Activation, sites?: Set<number>): boolean {
  for (let a: Activation | null = second.by; a !== null; a = a.parent) {
    const resumed = a.resumedAt > first.at
    // A callback that has begun since then was waited for, too.
    const began = a !== together && a.began > first.at && a.called
    if (resumed || began) {
      if (sites === undefined) return true
      const { earlier } = a
      if (earlier !== null)
        for (let i = 0; i < earlier.length; i += 2) if (earlier[i + 1]! > first.at) sites.add(earlier[i]!)
      sites.add(resumed ? a.resumed : -1)
    }
    if (a === together) break
  }
  return sites !== undefined && sites.size > 0
}

/** True if the operation itself went on after the first access, and then made the second or called what made it. */
function isDirect(first: Access, second: Access, together: Activation): boolean {
  if (together.resumedAt <= first.at) return false
  let called: Activation | null = null
  for (let a = second.by; a !== together; a = a.parent!) called = a
  return called === null || (!called.called && called.began > together.resumedAt)
}

/** `back` accesses before the newest. */
const before = (history: Access[], newest: number, back: number): Access =>
  history[newest >= back ? newest - back : newest - back + history.length]

/** `n -= 1` reads and writes in one expression. */
const isUpdate = (read: Access, write: Access): boolean => !read.writes && write.writes && read.site === write.site

/**
 * What an operation read before it wrote something else, `back` accesses ago: `const before = level; level = 'off';
 * await work(); level = before`. Null: nothing, or to write it.
 */
function readBefore(history: Access[], newest: number, back: number): Access | null {
  if (back + 1 >= history.length) return null
  const read = before(history, newest, back + 1)
  const write = before(history, newest, back)
  return write.writes && !read.writes && read.by === write.by && !isUpdate(read, write) ? read : null
}

const isOfReads = (kind: Finding['kind']): boolean => kind === 'stale check' || kind === 'changed between two reads'

/**
 * True if it is in order that what an operation read `back` accesses ago has changed when it asks again in `second`. A
 * loop asks again because it may have changed: `while (!done) await sleep(1)`. And where the operation has just counted
 * itself, it has read its own count: `active++; max = Math.max(max, active); await work(); active--`.
 */
function isAnswered(history: Access[], newest: number, back: number, second: Access): boolean {
  const first = before(history, newest, back)
  if (first.by === second.by && first.site === second.site) return true
  let i = back + 1
  const isOwn = (i: number): boolean => i < history.length && before(history, newest, i).by === first.by
  while (isOwn(i) && !before(history, newest, i).writes) i++
  return isOwn(i) && isOwn(i + 1) && isUpdate(before(history, newest, i + 1), before(history, newest, i))
}

/** `updates`: the second access reads what it writes. */
function kindOf(first: boolean, other: boolean, second: boolean, updates: boolean): Finding['kind'] | null {
  if (updates) return !first && other ? 'stale check' : null
  if (!first && other && second) return 'lost update'
  if (!first && other && !second) return 'changed between two reads'
  if (first && !other && second) return 'partly written state was seen'
  return null
}
