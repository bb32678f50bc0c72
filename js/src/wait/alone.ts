/**
 * Operations of several steps that legacy code awaits in a program that starts no activities: a lock alone takes along
 * no scheduler. There is nobody to run anything beside them, nor to cancel them.
 */
export async function alone(this: Iterable<unknown>): Promise<unknown> {
  const gen = this[Symbol.iterator]() as Iterator<unknown, unknown, any>
  let how: 'next' | 'throw' = 'next'
  let answer: unknown
  for (;;) {
    const { done, value } = gen[how]!(answer)
    if (done) return value
    try {
      answer = await value
      how = 'next'
    } catch (error) {
      answer = error
      how = 'throw'
    }
  }
}
