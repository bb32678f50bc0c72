/** `for await` and `yield*` in transformed code: an iterator is asked, one step at a time. */
import type { Operation } from '../../core/suspension.ts'
import { isCancelled } from '../../scope/errors.ts'
import { noncancellable } from '../../scope/finish.ts'
import { disregard } from '../../wait/promise.ts'
import { $wait, own } from './go.ts'

export type How = 'next' | 'throw' | 'return'

/** An iterator of what is iterated. What a synchronous one gives is awaited, as natively. */
export class Source {
  readonly iterator: any
  private readonly isAsync: boolean
  private readonly next: (sent: unknown) => unknown

  constructor(iterable: any) {
    const make = iterable[Symbol.asyncIterator]
    this.isAsync = make !== undefined && make !== null
    this.iterator = this.isAsync ? make.call(iterable) : iterable[Symbol.iterator]()
    if (Object(this.iterator) !== this.iterator) throw new TypeError('the iterator is not an object')
    this.next = this.iterator.next
  }

  /** Asks the iterator. It closes after a cancel of the wait, too: when it has answered, for which nobody waits. */
  *ask(how: How, sent: unknown): Generator<unknown, IteratorResult<any>, any> {
    own()
    const answer = (how === 'next' ? this.next : this.iterator[how]).call(this.iterator, sent)
    try {
      const result = this.isAsync ? yield* $wait(answer) as Operation<any> : answer
      if (Object(result) !== result) throw new TypeError(`iterator result ${String(result)} is not an object`)
      if (this.isAsync) return result
      const { done, value } = result
      return { done, value: yield* $wait(value) as Operation<any> }
    } catch (error) {
      if (isCancelled(error) && error !== sent) disregard(Promise.resolve(this.iterator.return?.()))
      throw error
    }
  }

  /** Closes an iterator that is not asked. The end of that is waited for after a cancel, too. */
  *close(): Generator<unknown, void, any> {
    const close = this.iterator.return
    if (close === undefined || close === null) return
    own()
    const answer = close.call(this.iterator)
    const result = this.isAsync ? yield* noncancellable($wait(answer) as Operation<any>) : answer
    if (Object(result) !== result) throw new TypeError(`${String(result)} is not an object`)
  }
}

/** `for await`: one step at a time. */
export class Iteration {
  value: any = undefined
  failed: boolean = false
  private done = false
  private readonly source: Source

  constructor(iterable: any) {
    this.source = new Source(iterable)
  }

  *step(): Generator<unknown, boolean, any> {
    this.done = true
    const result = yield* this.source.ask('next', undefined)
    if (result.done) return false
    this.value = result.value
    this.done = false
    return true
  }

  /** Closes the iterator if the loop was left early; an error of the body goes before one of closing. */
  *close(): Generator<unknown, void, any> {
    if (this.done) return
    try {
      yield* this.source.close()
    } catch (error) {
      if (!this.failed) throw error
    }
  }
}
