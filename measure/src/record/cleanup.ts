/**
 * What must not outlive this process, however it ends: processes that we started, their folders. Each entry is removed
 * by who made it, or run when the process exits.
 *
 * @example
 * const done = atExit(() => rmSync(folder, { recursive: true, force: true }))
 * …
 * done()
 */
const pending = new Set<() => void>()
let installed = false

/** `undo` must not wait for anything. The result runs it at once, unless it has run; it never runs twice. */
export function atExit(undo: () => void): () => void {
  if (!installed) {
    installed = true
    process.on('exit', () => {
      for (const f of [...pending].reverse()) f()
    })
  }
  const once = (): void => {
    if (!pending.delete(once)) return
    try {
      undo()
    } catch {
      // What would be undone does not exist any more.
    }
  }
  pending.add(once)
  return once
}
