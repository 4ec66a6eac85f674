import { FileError } from './stat-file.ts'

/** Bytes of a file, read in pieces. */
export interface ByteSource {
  readonly sizeBytes: number
  /** Returns exactly `length` bytes from `offset`; both must lie inside the file. Throws if the disk fails. */
  read(offset: number, length: number): Uint8Array
}

const windowBytes = 256 * 1024
const keptTextBytes = 1024

/**
 * Reads little-endian values one after the other through a window of bounded size. Every read past the file's end
 * throws a FileError that says what was being read.
 */
export class GgufCursor {
  readonly #source: ByteSource
  #window: DataView = new DataView(new ArrayBuffer(0))
  #windowStart = 0
  #position = 0

  constructor(source: ByteSource) {
    this.#source = source
  }

  get position(): number {
    return this.#position
  }

  get remainingBytes(): number {
    return this.#source.sizeBytes - this.#position
  }

  u32(what: string): number {
    return this.#view(4, what).getUint32(0, true)
  }

  /** Reads a 64 bit number. Throws if it is too large for a length or an offset in any file. */
  u64(what: string): number {
    const view = this.#view(8, what)
    const value = view.getUint32(4, true) * 2 ** 32 + view.getUint32(0, true)
    if (!Number.isSafeInteger(value)) throw new FileError(`is damaged: ${what} is ${value}`)
    return value
  }

  bytes(length: number, what: string): Uint8Array {
    const view = this.#view(length, what)
    return new Uint8Array(view.buffer, view.byteOffset, length)
  }

  skip(length: number, what: string): void {
    this.#require(length, what)
    this.#position += length
  }

  /** Returns at most the first `mostBytes` bytes of a string, and skips the rest: names are short. */
  text(what: string, mostBytes = keptTextBytes): string {
    const length = this.u64(`the length of ${what}`)
    this.#require(length, what)
    const kept = Math.min(length, mostBytes)
    const text = new TextDecoder().decode(this.bytes(kept, what))
    this.#position += length - kept
    return text
  }

  /** Returns a string if its length in bytes is wanted; otherwise skips it. */
  textIf(isWanted: (lengthBytes: number) => boolean, what: string): string | undefined {
    const length = this.u64(what)
    if (isWanted(length)) return new TextDecoder().decode(this.bytes(length, what))
    this.skip(length, what)
    return undefined
  }

  /** Returns a view of the next `length` bytes, at most a window's. */
  #view(length: number, what: string): DataView {
    this.#require(length, what)
    const start = this.#position - this.#windowStart
    if (start < 0 || start + length > this.#window.byteLength) return this.#refill(length)
    this.#position += length
    return new DataView(this.#window.buffer, this.#window.byteOffset + start, length)
  }

  #refill(length: number): DataView {
    const bytes = this.#source.read(this.#position, Math.min(Math.max(windowBytes, length), this.remainingBytes))
    this.#window = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    this.#windowStart = this.#position
    this.#position += length
    return new DataView(bytes.buffer, bytes.byteOffset, length)
  }

  #require(length: number, what: string): void {
    if (length <= this.remainingBytes) return
    throw new FileError(
      `is cut short: ${what} needs ${length} bytes at offset ${this.#position}, the file has ${this.#source.sizeBytes}`,
    )
  }
}
