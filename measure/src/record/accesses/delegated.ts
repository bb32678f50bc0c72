/**
 * `yield* values`: a generator hands over what another iterator gives. Each time that one is asked, the generator goes
 * on, and it stops when that one has answered, so that both are told of as if they stood inside each other.
 */
import { given } from '../given.ts'
import type { Activation, Flows } from './flows.ts'

/** What stands for `values` behind `yield*`; what is no iterable stays, and the language says so itself. */
export function delegated<T>(flows: Flows, activation: Activation, site: number, values: T): T | object {
  const method = (values as any)?.[iterator]
  if (typeof method !== 'function') return values
  return {
    [iterator]: given(() => {
      const inner = apply(method, values, [])
      return isObject(inner) ? new Delegate(flows, activation, site, inner) : inner
    }),
  }
}

const { apply } = Reflect
const { iterator } = Symbol

type Step = (value: unknown) => unknown

/** An iterator that asks another one; the language looks up `next` once, and the others when it needs them. */
class Delegate {
  readonly next: Step

  private readonly flows: Flows
  private readonly activation: Activation
  private readonly site: number
  private readonly inner: any
  private isFirst = true

  constructor(flows: Flows, activation: Activation, site: number, inner: any) {
    this.flows = flows
    this.activation = activation
    this.site = site
    this.inner = inner
    this.next = this.asking(inner.next)!
  }

  get throw(): Step | undefined {
    return this.asking(this.inner.throw)
  }

  get return(): Step | undefined {
    return this.asking(this.inner.return)
  }

  private asking(method: unknown): Step | undefined {
    // The language says what is wrong with it, if it is no function.
    if (typeof method !== 'function') return method as undefined
    return given((value: unknown) => this.asks(method, value))
  }

  private asks(method: Function, value: unknown): unknown {
    const { flows, activation } = this
    // Before the first time the generator runs already.
    if (!this.isFirst) flows.askedFor(activation, this.site)
    this.isFirst = false
    const result = apply(method, this.inner, [value])
    // With the last value the generator goes on.
    if (isObject(result) && !isLast(result)) flows.handsOver(activation)
    return result
  }
}

/** The language asks, too, so a getter would run twice; it counts as no. */
const isLast = (result: object): boolean => Reflect.getOwnPropertyDescriptor(result, 'done')?.value === true

const isObject = (value: unknown): value is object =>
  (typeof value === 'object' && value !== null) || typeof value === 'function'
