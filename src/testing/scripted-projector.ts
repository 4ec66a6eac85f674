/**
 * A projector of pictures that are only names. One number stands for an embedding: a different one for each entry of
 * each picture.
 */
import type {
  NativePicture,
  NativePictureEmbeddings,
  NativePreparedPicture,
} from '../engines/llama/native-projector.ts'
import type { LaidPicture } from './prompt-layouts.ts'

/** Numbers per position with several dimensions: time, height, width and an unused one. */
const dimensions = 4

/** Returns the number that stands for an entry of a picture. Negative, so that it is no token. */
export function embeddingOf(name: string, part: number, entry: number): number {
  return -(1 + entry + 100 * part + 1000 * (Bun.hash.crc32(name) % 1000))
}

export interface EncoderScript {
  /** Known pictures. Others are undecodable. */
  readonly pictures: readonly LaidPicture[]
  /** True if entries of a picture share a position (M-RoPE), in two columns. */
  readonly hasManyDimensions?: boolean
}

/** Size of a decoded picture in bytes. */
export const readyBytes = 100

/** Returns decoding and encoding of scripted pictures. Each decoded picture gets the next number. */
export function scriptedProjector({ pictures, hasManyDimensions = false }: EncoderScript) {
  const ready = new Map<number, LaidPicture>()
  let last = 0
  return {
    /** Returns the names of decoded pictures that were not dropped. */
    ready: () => [...ready.values()].map(({ name }) => name),
    prepared({ path }: NativePicture): NativePreparedPicture {
      const picture = pictures.find(({ name }) => path === `/spool/${name}`)
      if (picture === undefined) return { kind: 'undecodable', message: 'it is no picture' }
      ready.set(++last, picture)
      const entries = Array.from({ length: picture.parts ?? 1 }, () => picture.entries)
      return { kind: 'ready', number: last, bytes: readyBytes, entries }
    },
    drop: (number: number) => void ready.delete(number),
    nameOf: (number: number) => ready.get(number)?.name ?? 'nothing',
    encoded(number: number): NativePictureEmbeddings[] {
      const picture = ready.get(number)
      if (picture === undefined) throw new Error('what is encoded is not ready')
      return embeddingsOf(picture, hasManyDimensions)
    },
  }
}

function embeddingsOf(
  { name, entries, parts = 1 }: LaidPicture,
  hasManyDimensions: boolean,
): NativePictureEmbeddings[] {
  return Array.from({ length: parts }, (_, part): NativePictureEmbeddings => {
    const places = Array.from({ length: entries }, (_, entry) => entry)
    const grid = [
      places.map(() => 0),
      places.map((entry) => entry >> 1),
      places.map((entry) => entry & 1),
      places.map(() => 0),
    ]
    return {
      embeddings: Float32Array.from(places.map((entry) => embeddingOf(name, part, entry))),
      positions: Int32Array.from(hasManyDimensions ? grid.slice(0, dimensions).flat() : places),
    }
  })
}
