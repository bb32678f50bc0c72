/**
 * Where something is being registered, in mode `full`, and what that tells of the continuation that runs: from the
 * stack, or from a guess.
 */
import type { RecorderClock } from './clock.ts'
import { functionPlace } from './function_place.ts'
import { Guesses, type Guess } from './guesses.ts'
import { ranUsers, type Open } from './open.ts'
import type { Resource } from './resources.ts'
import type { Place } from '../place.ts'
import { here, isUsers } from './stack.ts'

export class Registrations {
  private readonly guesses = new Guesses()
  private readonly open: Open
  private readonly clock: RecorderClock
  private readonly location: (place: Place) => number

  /** `location` gives places their numbers in the trace. */
  constructor(open: Open, clock: RecorderClock, location: (place: Place) => number) {
    this.open = open
    this.clock = clock
    this.location = location
  }

  /** Fills in where `made`, the record of `resource`, is being registered; frames above `below` do not count. */
  locate(made: Resource, typeName: string, resource: object, below: Function): void {
    const { open } = this
    const callback = callbackOf(typeName, resource)
    const guess = callback === null ? null : this.guesses.of(open.from * 4 + (open.inBatch ? 1 : 0), callback)
    if (guess === null || Guesses.asks(guess)) {
      const began = this.clock.now()
      this.look(made, typeName, guess, callback, below)
      this.clock.pausedSince(began)
    } else if (guess.from !== 0) this.registers(made, guess.from, guess.direct, guess.outer, false)
    else open.internal = true
    if (guess !== null && guess.callback > 0) made.callback = guess.callback
  }

  private look(
    made: Resource,
    typeName: string,
    guess: Guess | null,
    callback: Function | null,
    below: Function,
  ): void {
    const { inner, outer, direct, bare } = here(below)
    const from = inner === null ? 0 : this.location(inner)
    const out = outer === null ? 0 : this.location(outer)
    if (guess !== null) {
      Guesses.learn(guess, from, out, direct)
      if (guess.callback === -1) {
        const place = functionPlace(callback!)
        guess.callback = place !== null && isUsers(place.url) ? this.location(place) : 0
      }
    }
    if (from === 0) this.open.internal = true
    else {
      made.awaits = bare && typeName === 'PROMISE'
      this.registers(made, from, direct, out, outer !== null && outer.name === '' && outer.line === 1)
    }
  }

  private registers(made: Resource, from: number, direct: boolean, outer: number, top: boolean): void {
    const { open } = this
    made.from = from
    made.direct = direct
    ranUsers(open)
    if (open.at !== 0 || open.resumed !== 0 || outer === 0) return
    open.at = outer
    open.top = top
  }
}

/** What runs when the resource does, where Node keeps it on the resource. */
function callbackOf(typeName: string, resource: any): Function | null {
  const f =
    typeName === 'Timeout'
      ? resource._onTimeout
      : typeName === 'Immediate'
        ? resource._onImmediate
        : typeName === 'TickObject'
          ? resource.callback
          : undefined
  return typeof f === 'function' ? f : null
}
