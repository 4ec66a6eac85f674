/**
 * Checksums of a file's chunks. They find damage, that is, which parts have to be fetched again. They are as fast as
 * memory and easily forged, so only the SHA-256 of the whole file identifies it.
 */

/** Chunk size. The last chunk of a file is shorter. */
export const chunkBytes = 64 * 1024 * 1024

/** Pattern of a checksum's text. */
export const chunkSumPattern = '^[0-9a-f]{16}$'

/**
 * Bytes hashed at once, with the hash of the previous piece as the seed. The size is part of the checksum's definition.
 */
const pieceBytes = 1024 * 1024

/** Checksum of bytes added in order, in pieces of any size. */
export class ChunkSum {
  #hash = 0n
  /** Beginning of a piece that is not complete yet. */
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

  /** Returns 16 hexadecimal digits. Nothing can be added afterwards. */
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
