/**
 * Edits of a text, collected while its syntax tree is walked. Replacements are done at once, insertions after all of
 * them: one beside a stretch that is replaced would be lost with it.
 *
 * The walk visits children first. What is inserted at one place therefore stands outermost first where something
 * begins, and innermost first where something ends.
 */
import type MagicString from 'magic-string'

export class Edits {
  readonly source: string
  private readonly text: MagicString
  private readonly insertions: (() => void)[] = []

  constructor(source: string, text: MagicString) {
    this.source = source
    this.text = text
  }

  /** Is there anything to do? */
  get any(): boolean {
    return this.insertions.length > 0
  }

  remove(from: number, to: number): void {
    this.text.remove(from, to)
  }

  replace(from: number, to: number, text: string): void {
    if (text === '') this.text.remove(from, to)
    else this.text.overwrite(from, to, text)
  }

  /** Inserts before what begins at `at`. */
  before(at: number, text: string): void {
    this.insertions.push(() => this.text.prependRight(at, text))
  }

  /** Inserts after what ends at `at`. */
  after(at: number, text: string): void {
    this.insertions.push(() => this.text.appendLeft(at, text))
  }

  /** Inserts at the beginning of what is inside the brace at `at`, before what is moved there. */
  atStartOf(at: number, text: string): void {
    this.insertions.push(() => this.text.prependLeft(at + 1, text))
  }

  /** Inserts at the end of what is inside the braces of which the last is before `at`. */
  atEndOf(at: number, text: string): void {
    this.insertions.push(() => this.text.appendRight(at - 1, text))
  }

  /** Moves a stretch, put between two texts, to another place; `left` stays where it was. */
  move(from: number, to: number, at: number, open: string, close: string, left = ''): void {
    this.insertions.push(() => {
      this.text.prependRight(from, open)
      this.text.appendLeft(to, close)
      this.text.move(from, to, at)
      if (left !== '') this.text.appendLeft(from, left)
    })
  }

  /** Does something after the insertions so far. */
  later(f: (text: MagicString) => void): void {
    this.insertions.push(() => f(this.text))
  }

  finish(): void {
    for (const insert of this.insertions) insert()
  }
}
