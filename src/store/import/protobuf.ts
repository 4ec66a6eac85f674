/**
 * Reads protobuf messages of a file field by field, in little memory: contents that the caller does not ask for are
 * skipped.
 */
import { readSync } from 'node:fs'
import { FileError } from '../../catalog/stat-file.ts'

/** Bytes of the file, from `start` up to `end`. */
export interface Span {
  readonly start: number
  readonly end: number
}

/** A field of a message: a number, or a span that holds text, bytes or another message. */
export interface Field {
  readonly number: number
  readonly value: number | Span
}

const windowBytes = 256 * 1024
/** Most fields that are read. No real graph comes near; a hostile file can hold billions. */
const maximumFields = 5_000_000

export class ProtobufFile {
  readonly #descriptor: number
  readonly #sizeBytes: number
  #window: Uint8Array = new Uint8Array()
  #windowStart = 0
  #fieldsLeft = maximumFields

  constructor(descriptor: number, sizeBytes: number) {
    this.#descriptor = descriptor
    this.#sizeBytes = sizeBytes
  }

  /** Yields the fields of a message, by default of the whole file. Throws FileError if it is malformed. */
  *fields(span: Span = { start: 0, end: this.#sizeBytes }): Generator<Field> {
    let at = span.start
    const varint = () => {
      let value = 0
      for (let shift = 0; shift < 70; shift += 7) {
        if (at >= span.end) throw damaged()
        const byte = this.#byte(at++)
        value += (byte & 0x7f) * 2 ** shift
        if (byte < 0x80) return value
      }
      throw damaged()
    }
    while (at < span.end) {
      if (this.#fieldsLeft-- === 0) throw new FileError('is damaged: it has too many parts')
      const key = varint()
      const wire = key & 7
      const number = Math.floor(key / 8)
      if (number === 0) throw damaged()
      if (wire === 0) {
        yield { number, value: varint() }
        continue
      }
      const length = wire === 2 ? varint() : (fixedBytes[wire] ?? Number.NaN)
      const start = at
      at += length
      if (!(at <= span.end)) throw damaged()
      yield { number, value: { start, end: at } }
    }
  }

  /** Returns the text of a field, which must be short. */
  text(value: Field['value']): string {
    if (typeof value === 'number' || value.end - value.start > 65_536) throw damaged()
    const bytes = new Uint8Array(value.end - value.start)
    const count = readSync(this.#descriptor, bytes, 0, bytes.length, value.start)
    return new TextDecoder().decode(bytes.subarray(0, count))
  }

  #byte(at: number): number {
    if (at < this.#windowStart || at >= this.#windowStart + this.#window.length) {
      const bytes = new Uint8Array(windowBytes)
      const count = readSync(this.#descriptor, bytes, 0, windowBytes, at)
      this.#window = bytes.subarray(0, count)
      this.#windowStart = at
    }
    const byte = this.#window[at - this.#windowStart]
    if (byte === undefined) throw new FileError('became shorter while it was read')
    return byte
  }
}

/** Wire type -> bytes of a number of fixed size. */
const fixedBytes: Readonly<Record<number, number>> = { 1: 8, 5: 4 }

function damaged(): FileError {
  return new FileError('is no ONNX graph, or is damaged')
}
