/** What a signal has done to a program, as the verb of a sentence. */
export function signalText(signal = 'a signal'): string {
  if (signal === 'SIGKILL') return 'was killed (SIGKILL)'
  // Node ends itself in this way when its memory is exhausted, or when one of its own assertions fails.
  if (signal === 'SIGABRT') return 'aborted (SIGABRT)'
  return `was ended by ${signal}`
}
