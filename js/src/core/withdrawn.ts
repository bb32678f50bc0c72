/**
 * Takes a wait back. A clause of the program's own may throw an error then, which is nobody's who waits: the host is
 * told it. Otherwise the other clauses would stay on their lists, and whoever has answered would stop.
 */
export function withdrawn(wait: { withdraw(): void }): void {
  try {
    wait.withdraw()
  } catch (error) {
    void Promise.reject(error)
  }
}
