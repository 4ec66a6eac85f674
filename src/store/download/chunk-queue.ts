/** What is still missing of a chunk. */
export interface Segment {
  readonly index: number
  /** Where the next byte belongs; moves on as bytes are written. */
  offset: number
  readonly end: number
}

/** The chunks that are missing, in order of offset, so that the sum of the whole follows closely. */
export class ChunkQueue {
  readonly #segments: Segment[]

  constructor(bytes: number, chunkBytes: number, isDone: (index: number) => boolean) {
    const all = Array.from({ length: Math.ceil(bytes / chunkBytes) }, (_, index) => ({
      index,
      offset: index * chunkBytes,
      end: Math.min((index + 1) * chunkBytes, bytes),
    }))
    this.#segments = all.filter(({ index }) => !isDone(index))
  }

  get length(): number {
    return this.#segments.length
  }

  take(): Segment | undefined {
    return this.#segments.shift()
  }
}
