/** Writes what the watching of accesses has found into the trace. */
import type { NodeRecorder } from '../recorder.ts'
import type { Accesses } from './install.ts'

const MAX_TOLD = 500
const MAX_AWAITS = 6

export function tellAccesses({ watch, describe }: Accesses, recorder: NodeRecorder): void {
  const findings = [...watch.findings.values()].sort((a, b) => b.count - a.count).slice(0, MAX_TOLD)
  for (const { kind, first, other, second, operation, waits, count, lengths } of findings) {
    const [a, b, c] = [describe(first), describe(other), describe(second)]
    if (a === undefined || b === undefined || c === undefined) continue
    const whole = describe(operation)?.function
    const awaits = [...waits].flatMap((site) => describe(site)?.place ?? []).slice(0, MAX_AWAITS)
    const sorted = lengths.sort((x, y) => x - y)
    const at = (q: number): number =>
      Math.max(0, Math.round(sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))] * 10) / 10)
    recorder.write({
      type: 'unserialisable',
      kind,
      variable: c.text,
      first: recorder.location(a.place),
      other: recorder.location(b.place),
      second: recorder.location(c.place),
      count,
      ...(whole !== undefined && { operation: recorder.location(whole) }),
      ...(awaits.length > 0 && { awaits: awaits.map((place) => recorder.location(place)) }),
      runs: Math.max(count, watch.operations(first, second)),
      p50: at(0.5),
      p99: at(0.99),
    })
  }
}
