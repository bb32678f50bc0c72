/**
 * Counts of values in bins that grow with the value, with a few examples in each bin. Two scales:
 * `time` (microseconds): bin 0 is everything below 0.1 µs, then 20 bins a decade; `count`: one bin for each whole
 * number up to 127, then 20 bins a decade.
 *
 * Invariants: the bins' counts add up to `count`; `min`, `max` and `sum` are exact; two histograms of one scale merge
 * without loss.
 *
 * @example
 * const h = new Histogram('time')
 * h.add(3); h.add(5)
 * h.quantile(1) // 5
 */
export type Scale = 'time' | 'count'

const PER_DECADE = 20
const LOWEST = 0.1
const EXACT = 128
const EXAMPLES = 3
const BINS = 320

export interface HistogramJson {
  scale: Scale
  count: number
  sum: number
  min: number
  max: number
  /** [bin, count, examples (indices into the sites)] for each bin that is not empty, ascending. */
  bins: [bin: number, count: number, examples: number[]][]
}

export function binOf(scale: Scale, value: number): number {
  if (scale === 'time')
    return value < LOWEST ? 0 : Math.min(BINS - 1, 1 + Math.floor(Math.log10(value / LOWEST) * PER_DECADE + 1e-9))
  return value < EXACT
    ? Math.floor(value)
    : Math.min(BINS - 1, EXACT + Math.floor(Math.log10(value / EXACT) * PER_DECADE + 1e-9))
}

/** The smallest value of a bin; the bin ends where the next one begins. */
export function edgeOf(scale: Scale, bin: number): number {
  if (scale === 'time') return bin === 0 ? 0 : LOWEST * 10 ** ((bin - 1) / PER_DECADE)
  return bin < EXACT ? bin : EXACT * 10 ** ((bin - EXACT) / PER_DECADE)
}

export class Histogram {
  readonly scale: Scale
  count = 0
  sum = 0
  min = Infinity
  max = -Infinity
  readonly bins = new Float64Array(BINS)
  private readonly examples = new Map<number, number[]>()

  constructor(scale: Scale) {
    this.scale = scale
  }

  /** `site` is kept as an example of the bin, the first few different ones. */
  add(value: number, site = -1): void {
    this.count++
    this.sum += value
    if (value < this.min) this.min = value
    if (value > this.max) this.max = value
    const bin = binOf(this.scale, value)
    this.bins[bin]!++
    if (site >= 0) this.example(bin, site)
  }

  merge(json: HistogramJson, site: (old: number) => number = (old) => old): void {
    if (json.count === 0) return
    this.count += json.count
    this.sum += json.sum
    this.min = Math.min(this.min, json.min)
    this.max = Math.max(this.max, json.max)
    for (const [bin, count, examples] of json.bins) {
      this.bins[bin]! += count
      for (const example of examples) this.example(bin, site(example))
    }
  }

  /** The value that a share `q` of all values does not exceed, to the width of a bin (12 %). 0 if there are none. */
  quantile(q: number): number {
    return quantile(this.toJson(), q)
  }

  toJson(): HistogramJson {
    const bins: HistogramJson['bins'] = []
    for (let bin = 0; bin < BINS; bin++)
      if (this.bins[bin]! > 0) bins.push([bin, this.bins[bin]!, this.examples.get(bin) ?? []])
    const empty = this.count === 0
    return {
      scale: this.scale,
      count: this.count,
      sum: this.sum,
      min: empty ? 0 : this.min,
      max: empty ? 0 : this.max,
      bins,
    }
  }

  private example(bin: number, site: number): void {
    const known = this.examples.get(bin)
    if (known === undefined) this.examples.set(bin, [site])
    else if (known.length < EXAMPLES && !known.includes(site)) known.push(site)
  }
}

export function quantile(h: HistogramJson, q: number): number {
  if (h.count === 0) return 0
  const rank = Math.max(1, Math.ceil(q * h.count))
  let below = 0
  for (const [bin, count] of h.bins) {
    if (below + count >= rank) {
      if (h.scale === 'count' && bin < EXACT) return bin
      const low = Math.max(edgeOf(h.scale, bin), h.min)
      const high = Math.min(edgeOf(h.scale, bin + 1), h.max)
      return rank === h.count ? h.max : low + ((high - low) * (rank - below)) / count
    }
    below += count
  }
  return h.max
}

/** How many values are below `limit`: exact at the edge of a bin, interpolated inside one. */
export function countBelow(h: HistogramJson, limit: number): number {
  let below = 0
  for (const [bin, count] of h.bins) {
    const low = edgeOf(h.scale, bin)
    const high = edgeOf(h.scale, bin + 1)
    if (high <= limit * (1 + 1e-9)) below += count
    else if (low < limit) below += h.scale === 'count' && bin < EXACT ? 0 : (count * (limit - low)) / (high - low)
  }
  return below
}
