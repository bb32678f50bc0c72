/**
 * When structured operations end, and with what, as a calculation in virtual time: a second definition of them, which
 * knows nothing of branches and scopes. Durations are such that no two things happen at the same time.
 */

/**
 * A leaf takes `ms`, succeeds or fails, and then takes `cleanup` that no cancel ends, which may fail itself. Each name
 * is a leaf's own. `abort` is when the operation's signal is aborted, after it has begun.
 */
export type Tree =
  | { op: 'leaf'; name: string; ms: number; fails: boolean; cleanup: number; cleanupFails: boolean }
  | { op: 'branches' | 'sequence'; items: Tree[] }
  | ({ abort: number } & Structured)
type Structured =
  | { op: 'all' | 'race' | 'any' | 'allSettled'; items: Tree[] }
  | { op: 'map'; items: Tree[]; limit: number }
  | { op: 'retry'; items: Tree[]; delay: number }
  | { op: 'timeout'; ms: number; item: Tree; otherwise: Tree | null }
  | { op: 'use'; resource: Tree; body: Tree; disposal: number }

export type Value = string | Value[]

/** What became of an operation, and when. Of an error, the names of the leaves that have failed. */
export type End = { at: number } & ({ value: Value } | { errors: string[] } | { cancelled: true })

const isError = (end: End): end is { at: number; errors: string[] } => 'errors' in end
const isValue = (end: End): end is { at: number; value: Value } => 'value' in end
const last = (ends: End[], otherwise: number): number => Math.max(otherwise, ...ends.map((end) => end.at))
const errorsOf = (ends: End[]): string[] => sorted(ends.flatMap(names))

/** Of errors at the same time nobody says which one comes first, and several may pass on the same one. */
export const sorted = (names: string[]): string[] => [...new Set(names)].sort()

const hasSignal = (tree: Tree): boolean => 'abort' in tree && tree.abort < Infinity

/** How `tree` ends that begins at the time `start` and is cancelled from outside at `cancel`, if it lasts so long. */
export function endOf(tree: Tree, start: number, cancel: number): End {
  if (!('abort' in tree) || cancel < start + tree.abort) {
    const end = cancelled(tree, start, cancel, false)
    // For a signal these, too, have a scope of their own, whose end tells the cancel of one around it.
    const isTold = hasSignal(tree) && /^(use|timeout)$/.test(tree.op)
    return isTold && isValue(end) && cancel <= end.at ? { at: end.at, cancelled: true } : end
  }
  // The signal cancels the operation itself. What is complete is given all the same, else its reason is thrown.
  const end = cancelled(tree, start, start + tree.abort, true)
  return 'cancelled' in end ? { at: end.at, errors: ['abort'] } : end
}

/** The same without a signal; with `own` it is the operation itself that is cancelled at that time. */
function cancelled(tree: Tree, start: number, cancel: number, own: boolean): End {
  // What has a scope of its own begins nothing in a cancelled one; the rest begins, and its first wait tells it.
  const isScoped = /^(all|race|any|allSettled|map|retry)$/.test(tree.op) || (tree.op === 'timeout' && hasSignal(tree))
  if (cancel < start && isScoped) return { at: start, cancelled: true }
  switch (tree.op) {
    case 'leaf': {
      const isCut = cancel < start + tree.ms
      const at = (isCut ? Math.max(cancel, start) : start + tree.ms) + tree.cleanup
      if (tree.cleanupFails) return { at, errors: [`${tree.name} cleanup`] }
      if (isCut) return { at, cancelled: true }
      return tree.fails ? { at, errors: [tree.name] } : { at, value: tree.name }
    }
    case 'all':
    case 'branches': {
      const run = (until: number): End[] => tree.items.map((item) => endBy(item, start, cancel, until))
      const first = Math.min(...run(Infinity).filter(isError).map((end) => end.at))
      return collected(run(first), start, own ? Infinity : cancel)
    }
    case 'allSettled': {
      const ends = tree.items.map((item) => endOf(item, start, cancel))
      const at = last(ends, start)
      if (own ? ends.some((end) => 'cancelled' in end) : cancel <= at) return { at, cancelled: true }
      return { at, value: ends.map((end) => (isValue(end) ? ['fulfilled', end.value] : ['rejected', names(end)])) }
    }
    case 'race': {
      const run = (until: number): End[] => tree.items.map((item) => endBy(item, start, cancel, until))
      const ends = run(Infinity).filter((end) => !('cancelled' in end))
      const first = Math.min(...ends.map((end) => end.at))
      const all = run(first)
      const at = last(all, start)
      const errors = errorsOf(all)
      if (errors.length > 0) return { at, errors }
      const winner = ends.find((end) => end.at === first)
      return winner !== undefined && first < cancel ? winner && { ...winner, at } : { at, cancelled: true }
    }
    case 'any': {
      const run = (until: number): End[] => tree.items.map((item) => endBy(item, start, cancel, until))
      const values = run(Infinity).filter(isValue)
      const first = Math.min(...values.map((end) => end.at))
      const all = run(first)
      const at = last(all, start)
      if (own ? values.length > 0 : first < cancel) return { ...values.find((end) => end.at === first)!, at }
      return cancel <= at ? { at, cancelled: true } : { at, errors: errorsOf(all) }
    }
    case 'sequence': {
      let end: End = { at: start, value: '' }
      for (const item of tree.items) {
        end = endOf(item, end.at, cancel)
        if (!isValue(end)) return end
      }
      return end
    }
    case 'map': {
      // Whose turn it is depends on what has ended, so the time goes on from end to end.
      const ends: End[] = []
      const begun: number[] = []
      let running: number[] = []
      for (let now = start; ; ) {
        while (running.length < tree.limit && begun.length < tree.items.length && now < cancel) {
          ends.push(endOf(tree.items[begun.length], now, cancel))
          running.push(begun.length)
          begun.push(now)
        }
        if (running.length === 0) break
        const next = running.reduce((a, b) => (ends[a].at < ends[b].at ? a : b))
        running = running.filter((index) => index !== next)
        now = ends[next].at
        if (!isError(ends[next])) continue
        for (const index of running) ends[index] = endBy(tree.items[index], begun[index], cancel, now)
        break
      }
      // The last item has begun, and there was a place for one more.
      const done = ends.filter(isValue).map((end) => end.at)
      const places = ends.length + 1 - tree.limit
      const isLast = places <= 0 || done.sort((a, b) => a - b)[places - 1] < cancel
      const isAsked = ends.length === tree.items.length && isLast
      return collected(ends, start, own && isAsked ? Infinity : cancel)
    }
    case 'retry': {
      let at = start
      for (const [attempt, item] of tree.items.entries()) {
        const end = endOf(item, at, cancel)
        if (isValue(end)) return cancel < end.at && !own ? { at: end.at, cancelled: true } : end
        if (!isError(end) || cancel <= end.at || attempt === tree.items.length - 1) return end
        at = end.at + tree.delay
        if (cancel < at) return { at: cancel, cancelled: true }
      }
      throw new Error('a retry without items')
    }
    case 'timeout': {
      const limit = start + tree.ms
      const end = endOf(tree.item, start, Math.min(cancel, limit))
      if (isError(end)) return end
      if (cancel < limit && cancel <= end.at) return { at: end.at, cancelled: true }
      if (isValue(end)) return end
      return tree.otherwise === null ? { at: end.at, errors: ['late'] } : endOf(tree.otherwise, end.at, cancel)
    }
    case 'use': {
      const resource = endOf(tree.resource, start, cancel)
      if (!isValue(resource)) return resource
      const end = endOf(tree.body, resource.at, cancel)
      return { ...end, at: end.at + tree.disposal }
    }
  }
}

/** The same for an item that is cancelled at the time `until`, if it has not ended before. */
function endBy(tree: Tree, start: number, cancel: number, until: number): End {
  const end = endOf(tree, start, cancel)
  return end.at <= until ? end : endOf(tree, start, Math.min(cancel, until))
}

const names = (end: End): string[] => (isError(end) ? end.errors : [])

/** All have ended: their errors, or else their values, unless a cancel came before the end. */
function collected(ends: End[], start: number, cancel: number): End {
  const at = last(ends, start)
  const errors = errorsOf(ends)
  if (errors.length > 0) return { at, errors }
  if (cancel <= at || !ends.every(isValue)) return { at, cancelled: true }
  return { at, value: ends.map((end) => end.value) }
}

/** A random operation. `next` gives numbers from 0 to 1. */
export function randomTree(next: () => number, depth: number): Tree {
  let leaves = 0
  const pick = (n: number): number => Math.floor(next() * n)
  /** In steps that no sum of few others reaches, so that nothing happens at the same time. */
  const time = (): number => 1 + Math.floor(next() * 2 ** 22) / 2 ** 16
  const make = (depth: number): Tree => {
    const items = (): Tree[] => Array.from({ length: 1 + pick(3) }, () => make(depth - 1))
    const kind = depth === 0 ? 0 : pick(12)
    const abort = pick(4) === 0 ? time() : Infinity
    if (kind === 1) return { op: 'all', items: items(), abort }
    if (kind === 2) return { op: 'race', items: items(), abort }
    if (kind === 3) return { op: 'any', items: items(), abort }
    if (kind === 4) return { op: 'allSettled', items: items(), abort }
    if (kind === 5) return { op: 'branches', items: items() }
    if (kind === 6) return { op: 'sequence', items: items() }
    if (kind === 7) return { op: 'map', items: [...items(), ...items()], limit: 1 + pick(3), abort }
    if (kind === 8) return { op: 'retry', items: items(), delay: time(), abort }
    if (kind === 9 || kind === 10)
      return { op: 'timeout', ms: time(), item: make(depth - 1), otherwise: pick(2) === 0 ? null : make(0), abort }
    if (kind === 11) return { op: 'use', resource: make(0), body: make(depth - 1), disposal: time(), abort }
    const cleanup = pick(2) === 0 ? 0 : time()
    return {
      op: 'leaf',
      name: `l${leaves++}`,
      ms: time(),
      fails: pick(4) === 0,
      cleanup,
      cleanupFails: pick(12) === 0,
    }
  }
  return make(depth)
}
