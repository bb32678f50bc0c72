/** Sorting for what runs in a page, which may replace the methods of its lists. */
const { sort } = [] as unknown[]

/** The list itself. */
export const sorted = <T>(list: T[], compare: (a: T, b: T) => number): T[] => Reflect.apply(sort, list, [compare])
