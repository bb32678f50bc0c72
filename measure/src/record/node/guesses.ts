/**
 * Saves stacks. A program that sets 300,000 timers sets them at a few places; once a place has been the same every time
 * that a callback with this text was registered from a continuation like this one, it is taken for granted, and checked
 * again now and then. A guess that was wrong once is never made again.
 */
export interface Guess {
  text: string
  /** Location of the registration, 0: none of the user's. */
  from: number
  /** Location of the function that the event loop had called, 0: unknown. */
  outer: number
  direct: boolean
  /** Location of the callback itself, 0: unknown or not the user's. */
  callback: number
  seen: number
  /** How much `seen` is when it is checked again; means something from `CERTAIN` on. */
  check: number
  wrong: boolean
  /** The function that was registered last, which saves comparing texts. */
  last: Function | null
}

/**
 * So often it must have been the same place. Afterwards it is checked again, the more rarely the longer it was right,
 * but once in `CHECK` registrations.
 */
const CERTAIN = 24
const CHECK = 1024
const MAX_TEXTS = 4096
const MAX_TEXT = 2000

const textOf = Function.prototype.toString

export class Guesses {
  private readonly contexts = new Map<number, { texts: Map<string, Guess>; last: Guess | null }>()
  private texts = 0

  /**
   * What is known of callbacks like `f` that are registered in this context (any number that tells continuations
   * apart); null: such a callback cannot be guessed.
   */
  of(context: number, f: Function): Guess | null {
    let known = this.contexts.get(context)
    if (known === undefined) {
      if (this.contexts.size >= MAX_TEXTS) return null
      this.contexts.set(context, (known = { texts: new Map(), last: null }))
    }
    if (known.last !== null && known.last.last === f) return known.last
    let text = textOf.call(f)
    if (text.length > MAX_TEXT) text = `${text.length}${text.slice(0, MAX_TEXT)}`
    // Most often it is the same as before, and comparing is cheaper than hashing.
    let guess = known.last !== null && known.last.text === text ? known.last : known.texts.get(text)
    if (guess === undefined) {
      // A built-in function (what settles a promise) looks the same wherever it is registered.
      if (text.length < 100 && text.endsWith('{ [native code] }')) return null
      if (this.texts >= MAX_TEXTS) return null
      this.texts++
      known.texts.set(
        text,
        (guess = { text, from: 0, outer: 0, direct: false, callback: -1, seen: 0, check: 0, wrong: false, last: null }),
      )
    }
    guess.last = f
    known.last = guess
    return guess
  }

  /** True if the stack is to be looked at, and the answer given to `learn`. */
  static asks(guess: Guess): boolean {
    return guess.wrong || guess.seen < CERTAIN || ++guess.seen >= guess.check
  }

  static learn(guess: Guess, from: number, outer: number, direct: boolean): void {
    if (guess.seen > 0 && (guess.from !== from || guess.outer !== outer || guess.direct !== direct)) guess.wrong = true
    guess.from = from
    guess.outer = outer
    guess.direct = direct
    guess.seen++
    guess.check = guess.seen + Math.min(CHECK, guess.seen)
  }
}
