/** Files below `dir/<name that begins with prefix>/`, the last name first. */
import { existsSync, readdirSync } from 'node:fs'
import path from 'node:path'

export function globSync(dir: string, prefix: string, files: string[]): string[] {
  if (!existsSync(dir)) return []
  const dirs = readdirSync(dir)
    .filter((name) => name.startsWith(prefix))
    .sort()
    .reverse()
  return dirs.flatMap((name) =>
    files.flatMap((f) => [
      path.join(dir, name, f),
      path.join(dir, name, path.basename(path.dirname(f)), path.basename(f)),
    ]),
  )
}
