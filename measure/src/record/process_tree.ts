/** Ending a program together with what it has started, as it cannot do so itself any more. */
import { spawnSync } from 'node:child_process'

/** The processes that `pid` has started, and those that they have started. Empty where there is no `ps`. */
function startedBy(pid: number): number[] {
  const { stdout } = spawnSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' })
  const pairs = [...(stdout ?? '').matchAll(/(\d+)\s+(\d+)/g)].map(([, child, parent]) => [
    Number(child),
    Number(parent),
  ])
  const found = [pid]
  // The list grows while it is walked.
  for (const parent of found) for (const [child, of] of pairs) if (of === parent && child !== parent) found.push(child!)
  return found.slice(1)
}

/** `kill` ends the program. Its children are asked before, for nobody knows afterwards whose they were. */
export function killTree(pid: number, kill: () => void): void {
  const children = startedBy(pid)
  kill()
  for (const child of children)
    try {
      process.kill(child, 'SIGTERM')
    } catch {
      // It has ended.
    }
}

/** The same in a shell: `kill_tree PID`. */
export const KILL_TREE = `started_by() {
  ps -A -o pid=,ppid= | while read -r child parent; do
    if [ "$parent" = "$1" ]; then echo "$child"; started_by "$child"; fi
  done
}
kill_tree() {
  children=$(started_by "$1")
  kill -KILL "$1"
  for child in $children; do kill -TERM "$child"; done
}`
