/** Keeps the rewriting from the sight of a program that asks functions for their texts. */
import { given } from '../given.ts'
import { unmarked } from './sites.ts'

/** `Class`: the realm's `Function`. */
export function disguiseTexts(Class: FunctionConstructor = globalThis.Function): void {
  const { prototype } = Class
  const native: () => string = prototype.toString
  const own = Reflect.apply(native, native, [])
  const { toString } = {
    toString(this: unknown): string {
      if (this === toString) return own
      const text = Reflect.apply(native, this, [])
      return unmarked(text)
    },
  }
  Object.defineProperty(prototype, 'toString', {
    value: given(toString, prototype),
    writable: true,
    configurable: true,
    enumerable: false,
  })
}
