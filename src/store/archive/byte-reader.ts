import { FileError } from '../../catalog/stat-file.ts'

/** Reads a stream of bytes by length, across the pieces in which it arrives. */
export class ByteReader {
  readonly #pieces: AsyncIterator<Uint8Array>
  #piece: Uint8Array = new Uint8Array()

  constructor(pieces: AsyncIterable<Uint8Array>) {
    this.#pieces = pieces[Symbol.asyncIterator]()
  }

  /** Reads exactly `length` bytes, which must fit into memory. Throws FileError if the stream ends before. */
  async exactly(length: number): Promise<Uint8Array> {
    const bytes = new Uint8Array(length)
    let filled = 0
    for await (const piece of this.pieces(length)) {
      bytes.set(piece, filled)
      filled += piece.length
    }
    return bytes
  }

  /** Yields the next `length` bytes in pieces as they arrive. Throws FileError if the stream ends before. */
  async *pieces(length: number): AsyncGenerator<Uint8Array> {
    let left = length
    while (left > 0) {
      const piece = await this.#next(left)
      if (piece === undefined) throw new FileError('is cut short')
      left -= piece.length
      yield piece
    }
  }

  /** Yields the rest of the stream. */
  async *rest(): AsyncGenerator<Uint8Array> {
    for (;;) {
      const piece = await this.#next(Number.MAX_SAFE_INTEGER)
      if (piece === undefined) return
      yield piece
    }
  }

  async #next(limit: number): Promise<Uint8Array | undefined> {
    while (this.#piece.length === 0) {
      const { done, value } = await this.#pieces.next()
      if (done === true) return undefined
      this.#piece = value
    }
    const taken = this.#piece.subarray(0, limit)
    this.#piece = this.#piece.subarray(taken.length)
    return taken
  }
}
