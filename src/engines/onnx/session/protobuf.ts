/** Protobuf messages, encoded and decoded in memory. */

/** Field to write: an integer from -2^53 to 2^32 - 1, or the bytes of a text, byte string or message. */
export type NewField = readonly [number: number, value: number | string | Uint8Array]

/** Field of a message, as a range of the bytes. */
interface Field {
  readonly number: number
  /** Index of the tag. */
  readonly at: number
  /** Value of an integer field; 0 for other fields. */
  readonly value: number
  /** Start of the content, which is empty for integers. */
  readonly start: number
  readonly end: number
}

const wireTypes = { varint: 0, eightBytes: 1, sized: 2, fourBytes: 5 }
const text = new TextEncoder()

/** Returns the bytes of a message. */
export function message(...fields: readonly NewField[]): Uint8Array {
  const parts = fields.flatMap(([number, value]) => {
    if (typeof value === 'number') return [[...varint(number << 3), ...varint(value)]]
    const bytes = typeof value === 'string' ? text.encode(value) : value
    return [[...varint((number << 3) | wireTypes.sized), ...varint(bytes.length)], bytes]
  })
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0))
  let at = 0
  for (const part of parts) {
    bytes.set(part, at)
    at += part.length
  }
  return bytes
}

function varint(value: number): number[] {
  if (value < 0) {
    const bits = BigInt.asUintN(64, BigInt(value))
    return Array.from({ length: varintBytes }, (_, at) => {
      const part = Number((bits >> BigInt(7 * at)) & 0x7fn)
      return at === varintBytes - 1 ? part : part | 0x80
    })
  }
  return value < 128 ? [value] : [(value & 127) | 128, ...varint(value >>> 7)]
}

/** Reads the fields of a message. Throws if the bytes are not a message. */
export function* readFields(bytes: Uint8Array, start = 0, end = bytes.length): Generator<Field> {
  for (let at = start; at < end; ) {
    const field = readField(bytes, at)
    if (field.end > end) throw notOnnx()
    yield field
    at = field.end
  }
}

/** Reads the head of the field at an index; the content may lie beyond the bytes. Throws if no field begins there. */
export function readField(bytes: Uint8Array, at: number): Field {
  const tag = readVarint(bytes, at)
  const number = Math.floor(tag.value / 8)
  const field = (start: number, length: number, value = 0) => ({ number, at, value, start, end: start + length })
  switch (tag.value % 8) {
    case wireTypes.varint: {
      const { value, end } = readVarint(bytes, tag.end)
      return field(end, 0, value)
    }
    case wireTypes.eightBytes:
      return field(tag.end, 8)
    case wireTypes.fourBytes:
      return field(tag.end, 4)
    case wireTypes.sized: {
      const { value, end } = readVarint(bytes, tag.end)
      return field(end, value)
    }
    default:
      throw notOnnx()
  }
}

/** Reads packed integers, which have no tags. */
export function readNumbers(bytes: Uint8Array, start: number, end: number): number[] {
  const numbers: number[] = []
  for (let at = start; at < end; ) {
    const { value, end: next } = readVarint(bytes, at)
    numbers.push(value)
    at = next
  }
  return numbers
}

/** Longest encoded integer, in bytes. */
const varintBytes = 10

function readVarint(bytes: Uint8Array, start: number): { readonly value: number; readonly end: number } {
  let value = 0
  for (let index = start; index < Math.min(bytes.length, start + varintBytes); index++) {
    const byte = bytes[index] ?? 0
    value += (byte & 0x7f) * 2 ** (7 * (index - start))
    if (byte < 0x80) return { value: value < 2 ** 63 ? value : negative(bytes, start), end: index + 1 }
  }
  throw notOnnx()
}

/** Reads a negative integer, which takes all 10 bytes. Values below -2^53 are rounded. */
function negative(bytes: Uint8Array, start: number): number {
  const bits = Array.from({ length: varintBytes }, (_, at) => BigInt((bytes[start + at] ?? 0) & 0x7f) << BigInt(7 * at))
  return Number(
    BigInt.asIntN(
      64,
      bits.reduce((sum, each) => sum | each),
    ),
  )
}

function notOnnx(): Error {
  return new Error('the file is no ONNX model')
}
