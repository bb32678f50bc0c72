/** Lists for what runs in a page, which may replace the methods of its own. */
const { sort } = [] as unknown[]

/** The list itself. */
export const sorted = <T>(list: T[], compare: (a: T, b: T) => number): T[] => Reflect.apply(sort, list, [compare])

/** Takes so many from the front of a list. */
export function withoutFirst<T>(list: T[], count: number): void {
  for (let i = count; i < list.length; i++) list[i - count] = list[i]!
  list.length -= count
}
