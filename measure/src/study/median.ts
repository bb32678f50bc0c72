/**
 * The median of a few values, with an interval that needs no assumption about how they are distributed: two of the
 * values in order, as near to the middle as hold the true median with a probability of `CONFIDENCE` (of five: the least
 * and the most).
 */
export interface Median {
  median: number
  /** Null: there are too few values for an interval that holds the true median with a probability of `CONFIDENCE`. */
  interval: [low: number, high: number] | null
}

/** So many values are needed for an interval, and this is what so many give. */
export const LEAST = 5
export const CONFIDENCE = 1 - 2 / 2 ** LEAST

/** Of no values: null. */
export function medianOf(values: number[]): Median | null {
  const n = values.length
  if (n === 0) return null
  const sorted = [...values].sort((a, b) => a - b)
  const median = (sorted[Math.ceil(n / 2) - 1]! + sorted[Math.floor(n / 2)]!) / 2
  const from = rankOf(n)
  return { median, interval: n < LEAST ? null : [sorted[from]!, sorted[n - 1 - from]!] }
}

/** How many values may lie below the interval: P(X <= rank) <= (1 - CONFIDENCE) / 2 for X of n tosses of a coin. */
function rankOf(n: number): number {
  let ways = 1
  let below = 1
  let rank = 0
  while (rank + 1 < n / 2) {
    ways = (ways * (n - rank)) / (rank + 1)
    below += ways
    if (below / 2 ** n > (1 - CONFIDENCE) / 2) break
    rank++
  }
  return rank
}
