/** Thread that decodes bzip2 if the system has no such program. */
import { closeSync, openSync, readSync } from 'node:fs'
import { decode } from 'seek-bzip'
import { errorText } from '../../core/error-text.ts'

declare const self: Worker

export interface ToBunzip2 {
  readonly path: string
  /** Pieces that may still be sent. The reader adds one for each piece taken. */
  readonly credit: Int32Array<SharedArrayBuffer>
}

export type FromBunzip2 =
  | { readonly type: 'piece'; readonly piece: Uint8Array<ArrayBuffer> }
  | { readonly type: 'end' }
  | { readonly type: 'failed'; readonly message: string }

const pieceBytes = 1024 * 1024

self.onmessage = ({ data }: MessageEvent<ToBunzip2>) => {
  try {
    bunzip2(data)
    tell({ type: 'end' })
  } catch (error) {
    tell({ type: 'failed', message: errorText(error) })
  }
}

function bunzip2({ path, credit }: ToBunzip2): void {
  const descriptor = openSync(path, 'r')
  const source = new FileBytes(descriptor)
  const target = new Pieces(credit)
  try {
    decode(source, target, true)
  } finally {
    closeSync(descriptor)
  }
  target.send()
}

/** Input of the decoder. */
class FileBytes {
  readonly #descriptor: number
  readonly #window = new Uint8Array(pieceBytes)
  #filled = 0
  #next = 0

  constructor(descriptor: number) {
    this.#descriptor = descriptor
  }

  /** Returns the next byte, or -1 at the end. */
  readByte(): number {
    return this.eof() ? -1 : (this.#window[this.#next++] ?? -1)
  }

  read(target: Uint8Array, offset: number, length: number): number {
    if (this.eof()) return -1
    const bytes = this.#window.subarray(this.#next, Math.min(this.#next + length, this.#filled))
    target.set(bytes, offset)
    this.#next += bytes.length
    return bytes.length
  }

  eof(): boolean {
    if (this.#next < this.#filled) return false
    this.#filled = readSync(this.#descriptor, this.#window, 0, pieceBytes, null)
    this.#next = 0
    return this.#filled === 0
  }
}

/** Output of the decoder. */
class Pieces {
  readonly #credit: Int32Array<SharedArrayBuffer>
  #piece = new Uint8Array(pieceBytes)
  #filled = 0

  constructor(credit: Int32Array<SharedArrayBuffer>) {
    this.#credit = credit
  }

  writeByte(byte: number): void {
    this.#piece[this.#filled++] = byte
    if (this.#filled === pieceBytes) this.send()
  }

  flush(): void {
    // The thread calls `send` once everything is decoded.
  }

  send(): void {
    while (Atomics.load(this.#credit, 0) === 0) Atomics.wait(this.#credit, 0, 0)
    Atomics.sub(this.#credit, 0, 1)
    const piece = this.#piece.slice(0, this.#filled)
    tell({ type: 'piece', piece }, [piece.buffer])
    this.#filled = 0
  }
}

function tell(message: FromBunzip2, transfer: ArrayBuffer[] = []): void {
  self.postMessage(message, transfer)
}
