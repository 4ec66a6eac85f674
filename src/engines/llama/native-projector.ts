/** Part of the addon's contract for pictures: see `native.ts`. */
import type { NativeContextOptions, NativeMemory, NativeModel } from './native.ts'

/** Options of a projector (mmproj), the part of a vision model that turns pictures into embeddings. */
export interface NativeProjectorOptions {
  readonly path: string
  readonly model: NativeModel
  /** Device that computes it. Undefined means the CPU. */
  readonly device: number | undefined
  readonly threads: number
  /** Most tokens per picture, for models with pictures of several sizes. 0 leaves it to the model. */
  readonly imageTokens: number
  readonly flashAttention: NativeContextOptions['flashAttention']
}

export interface NativeProjector {
  /** True if it encodes pictures, not sound alone. */
  readonly seesImages: boolean
  /**
   * True if the entries of a picture attend to each other in any order: they are decoded in one batch, with `isCausal`
   * false.
   */
  readonly isNonCausal: boolean
  /** Placeholder of a picture in a prompt. Random, so that no text contains it by chance or by intent. */
  readonly marker: string
  /**
   * Splits a prompt with a marker for each picture into tokens and picture places, off the main thread. Reads no
   * picture: `sizes`, to which `prepare` will shrink the pictures, determine their tokens. Rejects with a `RangeError`
   * if markers and sizes do not match, and with the code `PICTURE_REFUSED` and the picture's `index` if the model
   * cannot take one.
   */
  tokenize(prompt: string, sizes: readonly NativeImageSize[]): Promise<readonly NativePromptPiece[]>
  /**
   * Decodes a picture into the encoder's input, off the main thread and with low priority, possibly beside encodings.
   * An unreadable picture is a result, not a rejection. A ready one takes memory until it is dropped.
   */
  prepare(picture: NativePicture): Promise<NativePreparedPicture>
  /** Forgets a prepared picture. Unknown numbers are ignored. */
  drop(number: number): void
  /**
   * Encodes ready pictures by their numbers, off the main thread, one call at a time; they stay ready. Encodes the
   * first ones that fit together, at least one: the result may be shorter than the list. Rejects if the encoder fails.
   */
  encode(numbers: readonly number[], threads: number): Promise<readonly (readonly NativePictureEmbeddings[])[]>
  /** Returns its memory by device. */
  memoryBreakdown(): readonly NativeMemory[]
  /** Waits for a running call. Everything else throws afterwards. */
  close(): Promise<void>
}

export interface NativeImageSize {
  readonly width: number
  readonly height: number
}

export type NativePromptPiece =
  | { readonly kind: 'tokens'; readonly tokens: Int32Array }
  /**
   * Part of a picture. Some models cut a picture into parts, with tokens between them. `picture` is its index in the
   * prompt, `part` counts from 0 in each picture. `entries` is the number of embeddings, each a place in the KV cache.
   * `positions` is the growth of the position, which is less for positions of several dimensions (M-RoPE).
   */
  | {
      readonly kind: 'picture'
      readonly picture: number
      readonly part: number
      readonly entries: number
      readonly positions: number
    }

export interface NativePicture {
  /** Path of a PNG, JPEG, GIF (its first frame), BMP or PPM file. */
  readonly path: string
  /** EXIF orientation. */
  readonly orientation: number
  /**
   * Size to which the upright picture is shrunk, so that it takes the tokens that `tokenize` reported for this size. A
   * smaller picture is undecodable.
   */
  readonly size: NativeImageSize
}

export type NativePreparedPicture = NativeReadyPicture | { readonly kind: 'undecodable'; readonly message: string }

export interface NativeReadyPicture {
  readonly kind: 'ready'
  /** Number for `encode` and `drop`. */
  readonly number: number
  /** Bytes of memory that the prepared picture takes. */
  readonly bytes: number
  /** Number of embeddings of each of its parts. */
  readonly entries: readonly number[]
}

/** Part of a picture in the order of `NativePromptPiece`. */
export interface NativePictureEmbeddings {
  /** `embeddingSize` numbers per entry. */
  readonly embeddings: Float32Array
  /** Positions relative to the first one of the part, in the layout of `NativeBatch.positions`. */
  readonly positions: Int32Array
}
