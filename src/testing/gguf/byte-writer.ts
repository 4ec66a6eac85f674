const encoder = new TextEncoder()

/** Little-endian bytes that grow as they are written. */
export class ByteWriter {
  #bytes = new Uint8Array(64 * 1024)
  #view = new DataView(this.#bytes.buffer)
  #length = 0

  uint32(value: number): void {
    const position = this.#reserve(4)
    this.#view.setUint32(position, value, true)
  }

  int32(value: number): void {
    const position = this.#reserve(4)
    this.#view.setInt32(position, value, true)
  }

  float32(value: number): void {
    const position = this.#reserve(4)
    this.#view.setFloat32(position, value, true)
  }

  uint64(value: number): void {
    const position = this.#reserve(8)
    this.#view.setBigUint64(position, BigInt(value), true)
  }

  uint8(value: number): void {
    const position = this.#reserve(1)
    this.#view.setUint8(position, value)
  }

  raw(bytes: Uint8Array): void {
    const position = this.#reserve(bytes.length)
    this.#bytes.set(bytes, position)
  }

  /** Writes a string in GGUF's form: 64 bit length, then UTF-8. */
  string(text: string): void {
    const bytes = encoder.encode(text)
    this.uint64(bytes.length)
    this.raw(bytes)
  }

  /** Writes zeros up to the next multiple of `alignment`. */
  pad(alignment: number): void {
    this.#reserve((alignment - (this.#length % alignment)) % alignment)
  }

  finish(): Uint8Array<ArrayBuffer> {
    return this.#bytes.slice(0, this.#length)
  }

  /** Makes room and returns its offset. Growing replaces the view, so read the view only after this. */
  #reserve(sizeBytes: number): number {
    const position = this.#length
    this.#length += sizeBytes
    if (this.#length > this.#bytes.length) {
      const grown = new Uint8Array(2 * this.#length)
      grown.set(this.#bytes)
      this.#bytes = grown
      this.#view = new DataView(grown.buffer)
    }
    return position
  }
}
