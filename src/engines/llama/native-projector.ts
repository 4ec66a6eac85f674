/** Part of the addon's contract for pictures and sounds: see `native.ts`. */
import type { NativeContextOptions, NativeMemory, NativeModel } from './native.ts'

/** Options of a projector (mmproj), the part of a model that turns pictures and sounds into embeddings. */
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
  /** True if it encodes sounds of 16 kHz. Their entries attend to each other in order. */
  readonly hears: boolean
  /**
   * True if the entries of a picture attend to each other in any order: they are decoded in one batch, with `isCausal`
   * false.
   */
  readonly isNonCausal: boolean
  /** Placeholder of a picture or a sound in a prompt. Random, so that no text contains it by chance or by intent. */
  readonly marker: string
  /**
   * Splits a prompt with a marker for each picture or sound into tokens and places, off the main thread. Reads no
   * file: `sizes`, to which `prepare` will shrink the pictures, determine their tokens, and so do lengths of sounds.
   * Rejects with a `RangeError` if markers and sizes do not match, and with the code `PICTURE_REFUSED` and the `index`
   * of a picture or sound that the model cannot take.
   */
  tokenize(
    prompt: string,
    sizes: readonly (NativeImageSize | NativeSoundLength)[],
  ): Promise<readonly NativePromptPiece[]>
  /**
   * Decodes a picture or a sound into the encoder's input, off the main thread and with low priority, possibly beside
   * encodings. An unreadable one is a result, not a rejection. A ready one takes memory until it is dropped.
   */
  prepare(medium: NativePicture | NativeSound): Promise<NativePreparedPicture>
  /** Forgets a prepared picture or sound. Unknown numbers are ignored. */
  drop(number: number): void
  /**
   * Encodes ready pictures and sounds by their numbers, off the main thread, one call at a time; they stay ready.
   * Encodes the first ones that fit together, at least one: the result may be shorter than the list. Rejects if the
   * encoder fails.
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

export interface NativeSoundLength {
  /** Number of samples at 16 kHz. */
  readonly samples: number
}

export type NativePromptPiece =
  | { readonly kind: 'tokens'; readonly tokens: Int32Array }
  /**
   * Part of a picture or a sound. Some models cut a picture into parts, with tokens between them, and most cut a sound
   * into parts of 30 seconds. `picture` is its index among both in the prompt, `part` counts from 0 in each of them.
   * `entries` is the number of embeddings, each a place in the KV cache. `positions` is the growth of the position,
   * which is less for positions of several dimensions (M-RoPE).
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

export interface NativeSound extends NativeSoundLength {
  /** Path of a file of as many 16-bit samples of one channel. */
  readonly path: string
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
