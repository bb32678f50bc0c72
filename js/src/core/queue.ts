/**
 * A queue takes and gives items first in, first out, in constant time on the average: what has been given leaves gaps
 * at the beginning of the array, which are closed when they are more than half of it.
 */
export class Queue<T> {
  private items: (T | undefined)[] = []
  private head = 0
  private tail = 0

  get size(): number {
    return this.tail - this.head
  }

  push(item: T): void {
    this.items[this.tail++] = item
  }

  shift(): T | undefined {
    if (this.head === this.tail) return undefined
    const item = this.items[this.head]
    this.items[this.head++] = undefined
    if (this.head === this.tail) this.head = this.tail = 0
    else if (this.head > 31 && this.head > this.size) {
      this.items = this.items.slice(this.head, this.tail)
      this.tail = this.size
      this.head = 0
    }
    return item
  }
}
