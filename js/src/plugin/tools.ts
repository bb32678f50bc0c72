/** The packages that a project installs beside this one if it transforms modules. */
import { createRequire } from 'node:module'

const TOOLS = ['@babel/parser', 'magic-string']

/** Throws if one of them is missing; `who` needs them. */
export function checkTools(who: string): void {
  const { resolve } = createRequire(import.meta.url)
  const missing = TOOLS.filter((name) => {
    try {
      return resolve(name) === ''
    } catch {
      return true
    }
  })
  if (missing.length === 0) return
  const install = `npm install --save-dev ${missing.join(' ')}`
  throw new Error(`${who} needs ${missing.join(' and ')} to transform modules. Remedy: ${install}`)
}
