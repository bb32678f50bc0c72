/** What is still done when this process is killed and can do nothing itself. */
import { spawn } from 'node:child_process'
import type { Socket } from 'node:net'

/**
 * Runs a shell script with `args` if this process ends without having dismissed it, also by SIGKILL: the shell reads a
 * pipe that only we write to, so its end is ours. The result dismisses it. On Windows nothing is done.
 */
export function ifKilled(script: string, args: string[]): () => void {
  if (process.platform === 'win32') return () => {}
  const shell = spawn('/bin/sh', ['-c', `read -r _; ${script}`, 'sh', ...args], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  })
  shell.on('error', () => {})
  shell.unref()
  const pipe = shell.stdin as Socket
  pipe.on('error', () => {})
  pipe.unref()
  return () => void shell.kill('SIGKILL')
}
