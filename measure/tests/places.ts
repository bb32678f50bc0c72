/** Folders of the tests: their own temporary one, removed at the end. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'

export const measure = process.env.CHARCOAL_MEASURE!
export const command = path.join(measure, 'bin/charcoal-measure.mjs')

const made: string[] = []

export function temporary(): string {
  const dir = mkdtempSync(path.join(tmpdir(), 'charcoal-test-'))
  made.push(dir)
  return dir
}

process.on('exit', () => made.forEach((dir) => rmSync(dir, { recursive: true, force: true })))
