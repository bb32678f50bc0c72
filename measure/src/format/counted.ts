/** Numbers with the words that they count. */

/**
 * @example
 * counted(1, 'run') // '1 run'
 * counted(2000, 'child process', 'child processes') // '2,000 child processes'
 */
export const counted = (n: number, one: string, several = `${one}s`): string =>
  `${n.toLocaleString('en')} ${n === 1 ? one : several}`
