/**
 * Sums of the chunks of a file. They find damage: which part of a file has to be fetched again. What a file must be is said
 * by the SHA-256 of the whole, which they do not replace: they are as fast as the memory, and easily forged.
 */

/** Files have a sum for each piece of this size, the last one shorter. */
export const chunkBytes = 64 * 1024 * 1024

/** Of the text of a sum. */
export const chunkSumPattern = '^[0-9a-f]{16}$'

/** Each piece of a chunk is hashed with the hash of the piece before as the seed. The size belongs to the definition of the sum. */
const pieceBytes = 1024 * 1024

/** The sum of bytes that come in order, cut anyhow. */
export class ChunkSum {
  #hash = 0n
  /** The begin of a piece whose end has not come. */
  #begun: Uint8Array | undefined
  #begunBytes = 0

  add(bytes: Uint8Array): void {
    for (let start = 0; start < bytes.length; ) {
      const taken = bytes.subarray(start, start + pieceBytes - this.#begunBytes)
      start += taken.length
      if (taken.length === pieceBytes) this.#chain(taken)
      else this.#collect(taken)
    }
  }

  /** 16 hexadecimal digits. Nothing can be added afterwards. */
  end(): string {
    if (this.#begun !== undefined && this.#begunBytes > 0) this.#chain(this.#begun.subarray(0, this.#begunBytes))
    return this.#hash.toString(16).padStart(16, '0')
  }

  #collect(bytes: Uint8Array): void {
    this.#begun ??= new Uint8Array(pieceBytes)
    this.#begun.set(bytes, this.#begunBytes)
    this.#begunBytes += bytes.length
    if (this.#begunBytes < pieceBytes) return
    this.#chain(this.#begun)
    this.#begunBytes = 0
  }

  #chain(piece: Uint8Array): void {
    this.#hash = Bun.hash.xxHash64(piece, this.#hash)
  }
}

/** The sum of a chunk that is in memory. */
export function chunkSumOf(bytes: Uint8Array): string {
  const sum = new ChunkSum()
  sum.add(bytes)
  return sum.end()
}
