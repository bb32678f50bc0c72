/** Keeps the rewriting from the sight of a program that asks functions for their texts. */
import { MARK, unmarked } from './sites.ts'

export function disguiseTexts(): void {
  const { prototype } = Function
  const native = prototype.toString
  const own = native.call(native)
  const { toString } = {
    toString(this: unknown): string {
      if (this === toString) return own
      const text = Reflect.apply(native, this, [])
      return text.includes(MARK) ? unmarked(text) : text
    },
  }
  Object.defineProperty(prototype, 'toString', {
    value: toString,
    writable: true,
    configurable: true,
    enumerable: false,
  })
}
