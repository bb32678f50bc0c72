/** Keeps the rewriting from the sight of a program that asks functions for their texts. */
import { given } from '../given.ts'
import { unmarked } from './sites.ts'

export function disguiseTexts(): void {
  const { prototype } = globalThis.Function
  const native = prototype.toString
  const own = Reflect.apply(native, native, [])
  const { toString } = {
    toString(this: unknown): string {
      if (this === toString) return own
      const text = Reflect.apply(native, this, [])
      return unmarked(text)
    },
  }
  Object.defineProperty(prototype, 'toString', {
    value: given(toString),
    writable: true,
    configurable: true,
    enumerable: false,
  })
}
