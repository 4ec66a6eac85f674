import { ChunkSum } from '../chunk-sum.ts'
import type { DiskFile } from '../disk.ts'

/** Most efficient size of a write. */
const pieceBytes = 1024 * 1024

/** Writes a chunk whose bytes come in order, in pieces of any size, and computes its checksum. */
export class ChunkWriter {
  readonly #file: DiskFile
  readonly #end: number
  readonly #sum = new ChunkSum()
  readonly #piece: Uint8Array
  /** Bytes in the piece. */
  #filled = 0
  /** File offset of the piece. */
  #offset: number

  constructor(file: DiskFile, offset: number, bytes: number) {
    this.#file = file
    this.#offset = offset
    this.#end = offset + bytes
    this.#piece = new Uint8Array(Math.min(pieceBytes, bytes))
  }

  /** File offset of the next byte. */
  get offset(): number {
    return this.#offset + this.#filled
  }

  /**
   * Takes the next bytes, which must not exceed the chunk. The caller may reuse them afterwards. Returns the checksum
   * once the chunk is complete.
   */
  async write(bytes: Uint8Array): Promise<string | undefined> {
    for (let start = 0; start < bytes.length; ) {
      const taken = bytes.subarray(start, start + this.#piece.length - this.#filled)
      this.#piece.set(taken, this.#filled)
      this.#filled += taken.length
      start += taken.length
      if (this.#filled === this.#piece.length || this.offset === this.#end) await this.#flush()
    }
    return this.#offset === this.#end ? this.#sum.end() : undefined
  }

  async #flush(): Promise<void> {
    const piece = this.#piece.subarray(0, this.#filled)
    this.#sum.add(piece)
    await this.#file.write(piece, this.#offset)
    this.#offset += this.#filled
    this.#filled = 0
  }
}
