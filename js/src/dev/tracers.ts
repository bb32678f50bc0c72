/** Several tracers of one domain: each is told everything, and any of them may be taken off first. */
import type { Activity, Branch, Domain, Tracer } from '../core/types.ts'

class Tracers implements Tracer {
  readonly all = new Set<Tracer>()

  registered(activity: Activity): void {
    for (const tracer of this.all) tracer.registered(activity)
  }
  started(branch: Branch): void {
    for (const tracer of this.all) tracer.started(branch)
  }
  stopped(branch: Branch): void {
    for (const tracer of this.all) tracer.stopped(branch)
  }
  atomic(owner: Branch, entered: boolean, name?: string): void {
    for (const tracer of this.all) tracer.atomic(owner, entered, name)
  }
  ended(activity: Activity): void {
    for (const tracer of this.all) tracer.ended?.(activity)
  }
}

/** Tells `tracer` what runs in `d` from now on. What is given back takes it off; false: it was off already. */
export function trace(d: Domain, tracer: Tracer): () => boolean {
  const tracers = d.tracer instanceof Tracers ? d.tracer : new Tracers()
  if (d.tracer !== null && d.tracer !== tracers) tracers.all.add(d.tracer)
  tracers.all.add(tracer)
  d.tracer = tracers
  return () => {
    const isOff = !tracers.all.delete(tracer)
    if (tracers.all.size === 0 && d.tracer === tracers) d.tracer = null
    return !isOff
  }
}
