/**
 * Which programs this process has started. Those that are Node programs are recorded, too; the report says which
 * others there were.
 */
import { counted } from '../../format/counted.ts'
import { ChildProcess } from 'node:child_process'
import path from 'node:path'
import { given } from '../given.ts'

const started = new Map<string, number>()

export function countChildren(): void {
  const prototype = ChildProcess.prototype as any
  const { spawn } = prototype
  if (typeof spawn !== 'function') return
  prototype.spawn = given(function (this: unknown, options: any) {
    const name = path.basename(String(options?.file ?? 'unknown'))
    started.set(name, (started.get(name) ?? 0) + 1)
    starting = true
    try {
      return Reflect.apply(spawn, this, [options])
    } finally {
      starting = false
    }
  })
}

let starting = false

/** A child process is being started: what is made meanwhile are its pipes. */
export const isStarting = (): boolean => starting

/** A sentence, or null. */
export function childrenNote(): string | null {
  if (started.size === 0) return null
  const count = [...started.values()].reduce((a, b) => a + b)
  const names = [...started].map(([name, n]) => (n === 1 ? name : `${name} (${n} times)`)).join(', ')
  return `process ${process.pid} started ${counted(count, 'child process', 'child processes')}: ${names}`
}
