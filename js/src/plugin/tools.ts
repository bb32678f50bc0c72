/** The packages that a project installs beside this one if it transforms modules. */
import { createRequire } from 'node:module'

const TOOLS = ['@babel/parser', 'magic-string']

/** Throws if one of them is missing; `who` needs them, and `others`. */
export function checkTools(who: string, ...others: string[]): void {
  const { resolve } = createRequire(import.meta.url)
  const missing = [...TOOLS, ...others].filter((name) => {
    try {
      return resolve(name) === ''
    } catch (error) {
      return (error as { code?: string }).code === 'MODULE_NOT_FOUND' // else it is there, for `import` alone
    }
  })
  if (missing.length === 0) return
  const install = `npm install --save-dev ${missing.join(' ')}`
  throw new Error(`${who} needs ${missing.join(' and ')} to transform modules. Remedy: ${install}`)
}
