/** Which files of a program in Node are its own. */
import { packageOf } from '../../../format/packages.ts'
import { CONFIG, type HookConfig } from '../config.ts'

/** Programs' own code: files, not packages, save those that the user counts as own. */
export function isOwn(url: string): boolean {
  if (!url.startsWith('file:') && !url.startsWith('/')) return false
  const name = packageOf(url)
  return name === undefined || packages().includes(name)
}

let own: string[] | undefined

/** The packages that count as own, in the program's threads and in that of its loader. */
const packages = (): string[] => (own ??= (JSON.parse(process.env[CONFIG] ?? 'null') as HookConfig | null)?.own ?? [])
