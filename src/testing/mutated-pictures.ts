import { deflateSync, inflateSync } from 'node:zlib'
import { RandomWords } from './gguf/random-words.ts'
import { type PictureFixture, pictureFixtures } from './picture-fixtures.ts'
import { chunk } from './pictures.ts'

export interface MutatedPicture {
  readonly format: string
  /** Name of the fixture that was changed. */
  readonly name: string
  readonly bytes: Buffer
}

/** Sizes and counts that programs often handle wrongly, as fields of 1, 2 and 4 bytes. */
const oddNumbers = [0, 1, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0xffff, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff]
/** Bytes at the start of a file, which hold most fields. A quarter of all changes are made here. */
const headBytes = 64
/** Possible numbers of changes. Most pictures get one, so that part of the file keeps its meaning. */
const changeCounts = [1, 1, 1, 2, 4]

/** Yields `count` damaged pictures of a format. The same seed gives the same ones. */
export function* mutatedPictures(format: string, count: number, seed: number): Generator<MutatedPicture> {
  const fixtures = pictureFixtures().filter((fixture) => fixture.format === format)
  const random = new RandomWords(seed)
  for (let index = 0; index < count; index++) {
    const fixture = pick(fixtures, random)
    const mutate = (bytes: Buffer) => pick(mutations, random)(bytes, random, pick(fixtures, random))
    let { bytes } = fixture
    if (format === 'png' && random.below(2) === 0) bytes = inPixels(bytes, mutate)
    else for (let change = pick(changeCounts, random); change > 0; change--) bytes = mutate(bytes)
    yield { format, name: fixture.name, bytes }
  }
}

type Mutation = (bytes: Buffer, random: RandomWords, other: PictureFixture) => Buffer

const mutations: readonly Mutation[] = [
  function flipBits(bytes, random) {
    const changed = Buffer.from(bytes)
    for (let flips = random.below(8); flips >= 0; flips--) {
      const at = place(bytes, random)
      if (at < bytes.length) changed.writeUInt8(changed.readUInt8(at) ^ (1 << random.below(8)), at)
    }
    return changed
  },
  function writeOddNumber(bytes, random) {
    const width = pick([1, 2, 4], random)
    const number = pick(oddNumbers, random) % 2 ** (8 * width)
    const at = place(bytes, random)
    const field = Buffer.alloc(width)
    if (random.below(2) === 0) field.writeUIntBE(number, 0, width)
    else field.writeUIntLE(number, 0, width)
    return Buffer.concat([bytes.subarray(0, at), field, bytes.subarray(at + width)])
  },
  function cutOff(bytes, random) {
    return bytes.subarray(0, random.below(bytes.length + 1))
  },
  function leaveOutRun(bytes, random) {
    const { before, after } = split(bytes, random)
    return Buffer.concat([before, after])
  },
  function repeatRun(bytes, random) {
    const { before, run, after } = split(bytes, random)
    const copies = Array.from({ length: 2 + random.below(7) }, () => run)
    return Buffer.concat([before, ...copies, after])
  },
  function moveRun(bytes, random) {
    const { before, run, after } = split(bytes, random)
    const rest = Buffer.concat([before, after])
    const at = place(rest, random)
    return Buffer.concat([rest.subarray(0, at), run, rest.subarray(at)])
  },
  function putNoise(bytes, random) {
    const { before, run, after } = split(bytes, random)
    return Buffer.concat([before, run.map(() => random.below(256)), after])
  },
  function continueAsOther(bytes, random, other) {
    return Buffer.concat([bytes.subarray(0, place(bytes, random)), other.bytes.subarray(place(other.bytes, random))])
  },
]

/** Changes the rows of a PNG before compression. A change after it would rarely leave data that can be decompressed. */
function inPixels(png: Buffer, mutate: (lines: Buffer) => Buffer): Buffer {
  const at = png.indexOf('IDAT') - 4
  const length = png.readUInt32BE(at)
  const lines = inflateSync(png.subarray(at + 8, at + 8 + length))
  return Buffer.concat([png.subarray(0, at), chunk('IDAT', deflateSync(mutate(lines))), png.subarray(at + 12 + length)])
}

/** Returns a random run of bytes, with the bytes before and after it. */
function split(bytes: Buffer, random: RandomWords) {
  const from = place(bytes, random)
  const to = from + random.below(Math.min(headBytes, bytes.length - from) + 1)
  return { before: bytes.subarray(0, from), run: bytes.subarray(from, to), after: bytes.subarray(to) }
}

function place(bytes: Buffer, random: RandomWords): number {
  return random.below(1 + (random.below(4) === 0 ? Math.min(headBytes, bytes.length) : bytes.length))
}

function pick<Item>(items: readonly Item[], random: RandomWords): Item {
  const item = items[random.below(items.length)]
  if (item === undefined) throw new Error('nothing to choose from')
  return item
}
