// Limits output to a size that a model can read: the beginning, the end, and the number of missing characters.

const KEPT = 30_000

export class Bounded {
  private head = ''
  private tail = ''
  private dropped = 0

  constructor(private readonly kept = KEPT) {}

  add(text: string): void {
    const half = this.kept / 2
    const room = half - this.head.length
    if (room > 0) {
      this.head += text.slice(0, room)
      text = text.slice(room)
    }
    this.tail += text
    // Trimmed from time to time, not with every chunk.
    if (this.tail.length > this.kept) this.cut(half)
  }

  private cut(length: number): void {
    const over = this.tail.length - length
    if (over <= 0) return
    this.dropped += over
    this.tail = this.tail.slice(over)
  }

  toString(): string {
    this.cut(this.kept / 2)
    if (this.dropped === 0) return this.head + this.tail
    return `${this.head}\n[${this.dropped} characters left out]\n${this.tail}`
  }
}

export function bounded(text: string, kept = KEPT): string {
  const all = new Bounded(kept)
  all.add(text)
  return all.toString()
}
