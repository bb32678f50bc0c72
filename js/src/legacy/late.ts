/**
 * Callbacks whose time has come, and that are held back: whoever clears the timer, or removes the listener, before the
 * callback has run does not want it to run any more.
 *
 * - `held` has what is held back, by what it is cleared by.
 */
export class Late<Key> {
  private readonly held = new Map<Key, Set<{ isWanted: boolean }>>()

  /** `f` as it runs when it is held back no more. */
  add<R>(key: Key, f: () => R): () => R | undefined {
    const callback = { isWanted: true }
    const callbacks = this.held.get(key) ?? new Set()
    this.held.set(key, callbacks.add(callback))
    return () => {
      callbacks.delete(callback)
      if (callbacks.size === 0 && this.held.get(key) === callbacks) this.held.delete(key)
      return callback.isWanted ? f() : undefined
    }
  }

  /** The callbacks that are held back under `key` are not to run. */
  clear(key: Key): void {
    for (const callback of this.held.get(key) ?? []) callback.isWanted = false
    this.held.delete(key)
  }
}
