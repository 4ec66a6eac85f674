/** A font that draws every character as the same block, so that pictures are alike on machines of other fonts. */

const unitsPerEm = 1_000
const advance = 550
const ascent = 900
const descent = 250

/** Ranges of the characters that have a block */
const blocks = [
  [0x21, 0x7e],
  [0xa1, 0x17f],
  [0x2010, 0x2027],
  [0x2030, 0x205e],
  [0x2190, 0x27bf],
] as const

/** Ranges of characters that stay blank */
const blanks = [
  [0x20, 0x20],
  [0xa0, 0xa0],
] as const

/** Returns a TrueType file. Blocks are `height` thousandths of the size of text high. */
export function blockFont(height: number): Uint8Array {
  const tables: readonly (readonly [tag: string, bytes: Uint8Array])[] = [
    ['OS/2', os2()],
    ['cmap', cmap()],
    ['glyf', glyph(height)],
    ['head', head()],
    ['hhea', hhea()],
    ['hmtx', words(advance, 0, advance, 0, advance, 50)],
    ['loca', words(0, 0, 0, 18)],
    ['maxp', join(long(0x10000), words(3, 4, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0))],
    ['name', words(0, 0, 6)],
    ['post', join(long(0x30000, 0), words(0, 0), long(1, 0, 0, 0, 0))],
  ]
  let offset = 12 + 16 * tables.length
  const records = tables.map(([tag, bytes]) => {
    const record = join(new TextEncoder().encode(tag), long(checksum(bytes), offset, bytes.length))
    offset += padded(bytes).length
    return record
  })
  return join(long(0x10000), words(tables.length, 128, 3, 32), ...records, ...tables.map(([, bytes]) => padded(bytes)))
}

function glyph(height: number): Uint8Array {
  const [left, right] = [50, advance - 50]
  const box = words(1, left, 0, right, height)
  const across = words(left, 0, right - left, 0)
  const up = words(0, height, 0, -height)
  return join(box, words(3, 0), new Uint8Array([1, 1, 1, 1]), across, up, words(0))
}

function cmap(): Uint8Array {
  const groups = [...blanks.map((range) => [...range, 1] as const), ...blocks.map((range) => [...range, 2] as const)]
    .flatMap(([first, last, id]) =>
      Array.from({ length: last - first + 1 }, (_, index) => [first + index, id] as const),
    )
    .toSorted(([one], [other]) => one - other)
    .map(([character, id]) => long(character, character, id))
  const table = join(words(12, 0), long(16 + 12 * groups.length, 0, groups.length), ...groups)
  return join(words(0, 1, 3, 10), long(12), table)
}

function head(): Uint8Array {
  const dates = long(0, 0, 0, 0)
  const box = words(0, 0, advance, ascent)
  return join(long(0x10000, 0x10000, 0, 0x5f0f3cf5), words(0, unitsPerEm), dates, box, words(0, 8, 2, 0, 0))
}

function hhea(): Uint8Array {
  return join(long(0x10000), words(ascent, -descent, 0, advance, 0, 50, advance, 1, 0, 0, 0, 0, 0, 0, 0, 3))
}

function os2(): Uint8Array {
  const sizes = words(650, 600, 0, 75, 650, 600, 0, 350, 50, 300, 0)
  const [panose, ranges] = [new Uint8Array(10), long(0, 0, 0, 0)]
  const limits = words(0x40, 0x20, 0xffff, ascent, -descent, 0, ascent, descent)
  return join(
    words(4, advance, 400, 5, 0),
    sizes,
    panose,
    ranges,
    long(0x20202020),
    limits,
    long(0, 0),
    words(500, 700, 0, 32, 1),
  )
}

/** Returns numbers of 16 bits in the order of the network. */
function words(...values: readonly number[]): Uint8Array {
  const view = new DataView(new ArrayBuffer(2 * values.length))
  for (const [index, value] of values.entries()) view.setUint16(2 * index, value & 0xffff)
  return new Uint8Array(view.buffer)
}

function long(...values: readonly number[]): Uint8Array {
  const view = new DataView(new ArrayBuffer(4 * values.length))
  for (const [index, value] of values.entries()) view.setUint32(4 * index, value)
  return new Uint8Array(view.buffer)
}

function join(...parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}

function padded(bytes: Uint8Array): Uint8Array {
  return join(bytes, new Uint8Array((4 - (bytes.length % 4)) % 4))
}

function checksum(bytes: Uint8Array): number {
  const view = new DataView(padded(bytes).buffer)
  let sum = 0
  for (let at = 0; at < view.byteLength; at += 4) sum = (sum + view.getUint32(at)) >>> 0
  return sum
}
