'use activity'
/**
 * The list, as this page knows it, and its exchange with the server.
 *
 * - `items` and `version` belong together: `items` is what the box of that version holds, or will hold when the push
 *   under way has come back.
 *
 * The invariant is broken between the awaits of `add` and `refresh`. Their `atomic:` labels see to it that nothing runs
 * there.
 */
import { openSecret, seal, unseal, type Secret } from './secret.ts'

export interface Item {
  text: string
  by: string
}

export let items: Item[] = []
export let version = 0
let secret: Secret | undefined

async function unlocked(): Promise<Secret> {
  return (secret ??= await openSecret('correct horse battery staple'))
}

async function pull(): Promise<void> {
  const response = await fetch('/box')
  const found: { version: number; box: string } = await response.json()
  const text = found.box === '' ? '[]' : await unseal(await unlocked(), found.box)
  items = JSON.parse(text)
  version = found.version
}

/** False if somebody else has put a newer box there. */
async function push(): Promise<boolean> {
  const box = await seal(await unlocked(), JSON.stringify(items))
  const response = await fetch('/box', { method: 'PUT', headers: { 'if-match': String(version) }, body: box })
  if (!response.ok) return false
  version = (await response.json()).version
  return true
}

export async function add(item: Item): Promise<void> {
  // prettier-ignore
  atomic: {
    do {
      await pull()
      items.push(item)
    } while (!(await push()))
  }
}

export async function refresh(): Promise<void> {
  atomic: {
    await pull()
  }
}
