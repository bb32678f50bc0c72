/** How figures are written in all reports: durations, shares and costs. */
import type { Conflict } from '../analysis/conflicts.ts'
import { grouped } from '../format/counted.ts'
/** Numbers for people. Times come in microseconds. */
export function time(us: number, digits = 2): string {
  if (us === 0) return '0'
  const [value, unit] =
    us < 1000 ? [us, 'µs'] : us < 1e6 ? [us / 1000, 'ms'] : us < 120e6 ? [us / 1e6, 's'] : [us / 60e6, 'min']
  const isWhole = value >= 100 && digits <= 3
  return `${isWhole ? whole(value) : String(Number(value.toPrecision(digits)))} ${unit}`
}

const MAX_DIGITS = 8

/** Moments, with so many digits that different ones look different. */
export function moments(all: number[]): string[] {
  const different = new Set(all).size
  for (let digits = 2; digits < MAX_DIGITS; digits++) {
    const texts = all.map((us) => time(us, digits))
    if (new Set(texts).size === different) return texts
  }
  return all.map((us) => time(us, MAX_DIGITS))
}

export const whole = (n: number): string => grouped(Math.round(n))

/** `part` of `of` as the papers print shares: two digits. */
export function percent(part: number, of: number): string {
  if (of === 0) return '–'
  const p = (100 * part) / of
  return p === 0 ? '0 %' : p >= 99.95 ? '100 %' : p >= 10 ? `${Math.round(p)} %` : `${Number(p.toPrecision(2))} %`
}

/** What an atomic block around a conflict would cost; in C, a lock. */
export function costText({ p50, p99, cpu, wait, lock }: Conflict): string {
  const would = `${lock ? 'A lock held' : 'An atomic block'} there would`
  const times = (median: number, worst: number): string => `${time(median)}, at worst ${time(worst)}`
  if (p50 === undefined || p99 === undefined)
    return `What ${lock ? 'a lock held' : 'an atomic block'} there would cost is not known`
  const whole = `${would} take ${times(p50, p99)}`
  if (cpu === undefined) return whole
  const computes = `compute ${times(cpu[0]!, cpu[1]!)}`
  if (wait === undefined) return `${whole}, of which it would ${computes}`
  return `${would} ${computes}, and wait ${times(wait[0]!, wait[1]!)}, besides its sleeps`
}
