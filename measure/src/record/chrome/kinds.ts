/** From the browser's names to those of FORMAT.md. */
const tasks: Record<string, string> = {
  setTimeout: 'timeout',
  setInterval: 'interval',
  requestAnimationFrame: 'animation-frame',
  requestIdleCallback: 'idle',
  postMessage: 'message',
  await: 'promise',
  PendingScript: 'script',
  MutationObserver: 'observer:mutation',
  'MutationObserver.observe': 'observer:mutation',
}

/** The kind that a registration's name tells, or undefined. */
export function taskKind(name: string): string | undefined {
  if (name === '') return undefined
  const kind = tasks[name]
  if (kind !== undefined) return kind
  if (name.startsWith('Promise.')) return 'promise'
  if (/^XMLHttpRequest/i.test(name)) return 'xhr'
  if (/^(IDB|IndexedDB)/i.test(name)) return 'indexeddb'
  if (/^FileReader/i.test(name)) return 'file-reader'
  if (/postTask|TaskScheduler|scheduler\./i.test(name)) return 'post-task'
  if (/MutationObserver/i.test(name)) return 'observer:mutation'
  return undefined
}

/** Kinds that always can run again. */
export const repeats = (kind: string): boolean => kind === 'interval'
