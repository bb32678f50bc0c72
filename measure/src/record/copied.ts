/**
 * A copy of a list that another realm has made, or that a program can have changed. Its methods are this realm's, and
 * none of the other's is called.
 */
export function copied<T>(list: ArrayLike<T>): T[] {
  const copy: T[] = []
  for (let i = 0; i < list.length; i++) copy[i] = list[i]!
  return copy
}
