/** Planned entries in order of time. Entries of one time keep the order in which they were planned. */
export class Agenda<Entry> {
  readonly #heap: { readonly atMs: number; readonly order: number; readonly entry: Entry }[] = []
  #planned = 0

  plan(atMs: number, entry: Entry): void {
    const heap = this.#heap
    let index = heap.push({ atMs, order: this.#planned++, entry }) - 1
    while (index > 0) {
      const parent = (index - 1) >> 1
      if (!this.#isBefore(index, parent)) break
      this.#swap(index, parent)
      index = parent
    }
  }

  /** Removes and returns the first entry that is due by `untilMs`; undefined if there is none. */
  take(untilMs: number): { readonly atMs: number; readonly entry: Entry } | undefined {
    const heap = this.#heap
    const first = heap[0]
    if (first === undefined || first.atMs > untilMs) return undefined
    const last = heap.pop()
    if (last === undefined || heap.length === 0) return first
    heap[0] = last
    for (let index = 0; ; ) {
      const left = 2 * index + 1
      const child = left + 1 < heap.length && this.#isBefore(left + 1, left) ? left + 1 : left
      if (child >= heap.length || !this.#isBefore(child, index)) return first
      this.#swap(index, child)
      index = child
    }
  }

  #isBefore(one: number, other: number): boolean {
    const a = this.#heap[one]
    const b = this.#heap[other]
    if (a === undefined || b === undefined) return false
    return a.atMs < b.atMs || (a.atMs === b.atMs && a.order < b.order)
  }

  #swap(one: number, other: number): void {
    const a = this.#heap[one]
    const b = this.#heap[other]
    if (a === undefined || b === undefined) return
    this.#heap[one] = b
    this.#heap[other] = a
  }
}
