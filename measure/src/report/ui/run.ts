/** From a chain to one of its runs in the continuation trees, by one click. */
import type { Figures } from '../../analysis/figures.ts'
import { h } from './dom.ts'

/** A continuation in a piece of the timeline. */
export interface Run {
  piece: number
  node: number
}

/**
 * The last continuation of a run of the chain, if a piece of the timeline has one; of an interrupted run if possible.
 */
export function findRun({ timeline }: Figures, sites: number[]): Run | undefined {
  let found: Run | undefined
  for (const [piece, { nodes }] of timeline.entries())
    for (let node = 0; node < nodes.length; node++) {
      let at = node
      let interrupted = false
      for (let i = sites.length - 1; at >= 0 && nodes[at]![3] === sites[i]; i--) {
        if (i === 0) {
          if (interrupted) return { piece, node }
          found ??= { piece, node }
          break
        }
        interrupted ||= nodes[at]![6] > 0
        at = nodes[at]![2]
      }
    }
  return found
}

/** Told to the timeline, which shows it. */
export const SHOW_RUN = 'charcoal-run'

/** Null: the timeline has no run of it. */
export function runLink(f: Figures, sites: number[]): HTMLElement | null {
  const run = findRun(f, sites)
  if (run === undefined) return null
  const show = (): void => void document.dispatchEvent(new CustomEvent<Run>(SHOW_RUN, { detail: run }))
  return h('a', { href: '#timeline', class: 'run', onclick: show }, 'a run in the tree')
}
