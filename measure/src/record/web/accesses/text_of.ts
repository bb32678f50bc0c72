/** JSON of what was found, whatever the page has made of `toJSON` and of the prototypes. */
import type { Told } from '../../accesses/tell.ts'

const { stringify } = JSON
const { setPrototypeOf } = Object

/** Findings, and sites where code was made. */
export function textOf(all: (Told | number)[]): string {
  for (let i = 0; i < all.length; i++) {
    const told = all[i]
    if (typeof told === 'number') continue
    setPrototypeOf(told.waits, null)
    setPrototypeOf(told.cpu, null)
    setPrototypeOf(told.wait, null)
    setPrototypeOf(told, null)
  }
  return stringify(setPrototypeOf(all, null))
}
