/** Cache of encoded pictures, for prompts that have the same pictures in other places. */
import type { NativePictureEmbeddings } from '../native-projector.ts'

/** All parts of a picture in order. */
export type EncodedPicture = readonly NativePictureEmbeddings[]

/** Keeps at most `limitBytes`; evicts the least recently used first. */
export class EncoderCache {
  readonly #limitBytes: number
  /** Least recently used first. */
  readonly #pictures = new Map<string, EncodedPicture>()
  #bytes = 0

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes
  }

  has(key: string): boolean {
    return this.#pictures.has(key)
  }

  get(key: string): EncodedPicture | undefined {
    const picture = this.#pictures.get(key)
    if (picture === undefined) return undefined
    this.#pictures.delete(key)
    this.#pictures.set(key, picture)
    return picture
  }

  /** Keeps a picture if it fits at all. */
  add(key: string, picture: EncodedPicture): void {
    if (bytesOf(picture) > this.#limitBytes) return
    this.#remove(key)
    this.#pictures.set(key, picture)
    this.#bytes += bytesOf(picture)
    for (const oldest of this.#pictures.keys()) if (this.#bytes > this.#limitBytes) this.#remove(oldest)
  }

  #remove(key: string): void {
    this.#bytes -= bytesOf(this.#pictures.get(key) ?? [])
    this.#pictures.delete(key)
  }
}

function bytesOf(picture: EncodedPicture): number {
  return picture.reduce((sum, { embeddings, positions }) => sum + embeddings.byteLength + positions.byteLength, 0)
}
