/** Numbers for people. Without `toLocaleString`: its first call takes 35 ms, in each process that is recorded. */

/**
 * A whole number.
 *
 * @example
 * grouped(1234567) // '1,234,567'
 */
export const grouped = (n: number): string => String(n).replace(/\B(?=(\d{3})+$)/g, ',')

/**
 * @example
 * counted(1, 'run') // '1 run'
 * counted(2000, 'child process', 'child processes') // '2,000 child processes'
 */
export const counted = (n: number, one: string, several = `${one}s`): string =>
  `${grouped(n)} ${n === 1 ? one : several}`
