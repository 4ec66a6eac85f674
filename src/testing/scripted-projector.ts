/** A projector of pictures that exist by name alone. One number stands for an embedding: another one for each entry of each picture. */
import type { NativeEncodedPicture, NativePicture, NativePictureEmbeddings } from '../engines/llama/native.ts'
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

/** What the projector makes of a picture. */
export function encoded(
  { path }: NativePicture,
  { pictures, hasManyDimensions = false }: EncoderScript,
): NativeEncodedPicture {
  const picture = pictures.find(({ name }) => path === `/spool/${name}`)
  if (picture === undefined) return { kind: 'undecodable', message: 'it is no picture' }
  const { name, entries, parts = 1 } = picture
  return {
    kind: 'encoded',
    parts: Array.from({ length: parts }, (_, part): NativePictureEmbeddings => {
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
    }),
  }
}
