/** A projector of pictures that exist by name alone. One number stands for an embedding: another one for each entry of each picture. */
import type {
  NativePicture,
  NativePictureEmbeddings,
  NativePreparedPicture,
} from '../engines/llama/native-projector.ts'
import type { LaidPicture } from './prompt-layouts.ts'

/** Positions in time, height, width and of no use, where there are several. */
const dimensions = 4

/** What stands for an entry of a picture. Negative, so that it is no token. */
export function embeddingOf(name: string, part: number, entry: number): number {
  return -(1 + entry + 100 * part + 1000 * (Bun.hash.crc32(name) % 1000))
}

export interface EncoderScript {
  /** By name. Others are undecodable. */
  readonly pictures: readonly LaidPicture[]
  /** Entries of a picture share a position (M-RoPE), in two columns. */
  readonly hasManyDimensions?: boolean
}

/** Bytes of a picture that is ready. */
export const readyBytes = 100

/** What scripted pictures are decoded and encoded to. Their numbers are made when they are ready. */
export function scriptedProjector({ pictures, hasManyDimensions = false }: EncoderScript) {
  const ready = new Map<number, LaidPicture>()
  let last = 0
  return {
    /** Names of those that are ready and were not dropped. */
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
