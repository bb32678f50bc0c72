/** JSON of what was found, whatever the page has made of `toJSON` and of the prototypes. */
import type { Found } from './found.ts'

const { stringify } = JSON
const { setPrototypeOf } = Object

export function textOf(all: Found): string {
  const { findings, made } = all
  for (let i = 0; i < findings.length; i++) {
    const told = findings[i]!
    setPrototypeOf(told.waits, null)
    setPrototypeOf(told.cpu, null)
    setPrototypeOf(told.wait, null)
    setPrototypeOf(told, null)
  }
  setPrototypeOf(findings, null)
  setPrototypeOf(made, null)
  return stringify(setPrototypeOf(all, null))
}
