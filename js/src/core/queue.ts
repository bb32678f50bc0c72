/**
 * A queue takes and gives items first in, first out, in constant time: it is a ring whose capacity is a power of two.
 */
export class Queue<T> {
  private ring: (T | undefined)[] = [undefined, undefined, undefined, undefined]
  private head = 0
  size = 0

  push(item: T): void {
    if (this.size === this.ring.length) this.grow()
    this.ring[(this.head + this.size) & (this.ring.length - 1)] = item
    this.size++
  }

  shift(): T | undefined {
    if (this.size === 0) return undefined
    const item = this.ring[this.head]
    this.ring[this.head] = undefined
    this.head = (this.head + 1) & (this.ring.length - 1)
    this.size--
    return item
  }

  private grow(): void {
    const old = this.ring
    const ring = new Array<T | undefined>(old.length * 2)
    for (let i = 0; i < this.size; i++) ring[i] = old[(this.head + i) & (old.length - 1)]
    this.ring = ring
    this.head = 0
  }
}
