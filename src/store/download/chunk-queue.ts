/** Missing rest of a chunk. */
export interface Segment {
  readonly index: number
  /** Offset of the next byte, which grows as bytes are written. */
  offset: number
  readonly end: number
}

/** Missing chunks in order of offset, so that the whole file's checksum follows closely. */
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
