/** Names and values that a model's file says of itself. ONNX Runtime's binding does not give them. */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs'

/** Number of `metadata_props` in ONNX's `ModelProto`, each a message with a key (1) and a value (2). */
const metadataField = 14
const wireTypes = { varint: 0, eightBytes: 1, sized: 2, fourBytes: 5 }
/** The longest number takes 10 bytes. */
const headBytes = 20
/** An entry is a name and a line of text. */
const entryLimitBytes = 65_536

/** Reads the entries and passes over the graph, however large. Throws where the file is not there or is no ONNX model. */
export function readModelMetadata(path: string): ReadonlyMap<string, string> {
  const file = openSync(path, 'r')
  try {
    const { size } = fstatSync(file)
    const metadata = new Map<string, string>()
    const read = (at: number, length: number) => {
      const bytes = Buffer.alloc(Math.min(length, size - at))
      return bytes.subarray(0, readSync(file, bytes, 0, bytes.length, at))
    }
    for (let at = 0; at < size; ) {
      const { number, start, end } = readField(read(at, headBytes))
      const length = end - start
      if (number === metadataField && length <= entryLimitBytes) {
        const { key, value } = readEntry(read(at + start, length))
        metadata.set(key, value)
      }
      at += end
    }
    return metadata
  } finally {
    closeSync(file)
  }
}

interface Field {
  readonly number: number
  /** Of its content, which is nothing for numbers. */
  readonly start: number
  readonly end: number
}

/** The field that begins with these bytes. */
function readField(bytes: Buffer): Field {
  const tag = readVarint(bytes, 0)
  const number = Math.floor(tag.value / 8)
  switch (tag.value % 8) {
    case wireTypes.varint: {
      const { end } = readVarint(bytes, tag.end)
      return { number, start: end, end }
    }
    case wireTypes.eightBytes:
      return { number, start: tag.end + 8, end: tag.end + 8 }
    case wireTypes.fourBytes:
      return { number, start: tag.end + 4, end: tag.end + 4 }
    case wireTypes.sized: {
      const { value, end } = readVarint(bytes, tag.end)
      return { number, start: end, end: end + value }
    }
    default:
      throw new Error('the file is no ONNX model')
  }
}

function readVarint(bytes: Buffer, start: number): { readonly value: number; readonly end: number } {
  let value = 0
  for (let index = start; index < Math.min(bytes.length, start + 10); index++) {
    const byte = bytes[index] ?? 0
    value += (byte & 0x7f) * 2 ** (7 * (index - start))
    if (byte < 0x80) return { value, end: index + 1 }
  }
  throw new Error('the file is no ONNX model')
}

function readEntry(bytes: Buffer): { readonly key: string; readonly value: string } {
  const texts = new Map<number, string>()
  for (let at = 0; at < bytes.length; ) {
    const { number, start, end } = readField(bytes.subarray(at))
    texts.set(number, bytes.toString('utf8', at + start, at + end))
    at += end
  }
  return { key: texts.get(1) ?? '', value: texts.get(2) ?? '' }
}
