const firstBytes = 256

/** A line that arrives in pieces, in a buffer that grows: a byte at a time costs no more than its byte. */
export class ByteLine {
  #bytes = new Uint8Array(firstBytes)
  #length = 0

  get length(): number {
    return this.#length
  }

  add(piece: Uint8Array): void {
    const length = this.#length + piece.length
    if (length > this.#bytes.length) {
      const grown = new Uint8Array(Math.max(length, this.#bytes.length * 2))
      grown.set(this.#bytes.subarray(0, this.#length))
      this.#bytes = grown
    }
    this.#bytes.set(piece, this.#length)
    this.#length = length
  }

  /** Takes the line, valid until the next piece is added, and begins the next one. */
  take(): Uint8Array {
    const line = this.#bytes.subarray(0, this.#length)
    this.#length = 0
    if (this.#bytes.length > 64 * firstBytes) this.#bytes = new Uint8Array(firstBytes)
    return line
  }
}
