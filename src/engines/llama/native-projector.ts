/** The part of the contract of the addon that is about pictures: see `native.ts`. */
import type { NativeContextOptions, NativeMemory, NativeModel } from './native.ts'

/** The projector (mmproj) is the part of a vision model that turns pictures into embeddings. */
export interface NativeProjectorOptions {
  readonly path: string
  readonly model: NativeModel
  /** The device that computes it; undefined: the CPU. */
  readonly device: number | undefined
  readonly threads: number
  /** Most tokens that a picture may take, where the model has pictures of several sizes; 0: as the model says. */
  readonly imageTokens: number
  readonly flashAttention: NativeContextOptions['flashAttention']
}

export interface NativeProjector {
  /** It encodes pictures, as opposed to sound alone. */
  readonly seesImages: boolean
  /** The entries of a picture see each other whatever their order: they are decoded in one batch, with `isCausal` false. */
  readonly isNonCausal: boolean
  /** Stands for a picture in a prompt. Random, so that no text contains it by chance or by intent. */
  readonly marker: string
  /**
   * Splits a prompt with a marker for each picture into tokens and the places of pictures, off the main thread. No picture is
   * read: the sizes in which `prepare` will make them tell how many tokens they take. Rejects with a `RangeError` when markers
   * and sizes do not match, and with the code `PICTURE_REFUSED` and the picture's `index` when the model cannot look at one.
   */
  tokenize(prompt: string, sizes: readonly NativeImageSize[]): Promise<readonly NativePromptPiece[]>
  /**
   * Decodes a picture and makes of it what the encoder takes, off the main thread and with little priority; encodings may run
   * beside it. A picture that cannot be read or decoded is no rejection. A ready one takes memory until it is dropped.
   */
  prepare(picture: NativePicture): Promise<NativePreparedPicture>
  /** Forgets a picture that was prepared. Unknown numbers are ignored. */
  drop(number: number): void
  /**
   * Encodes pictures that are ready, by their numbers, off the main thread, one call at a time; they stay ready. As many of them as can
   * be encoded together are, the first ones, at least one: the result may be shorter than the list. Rejects when the encoder fails.
   */
  encode(numbers: readonly number[], threads: number): Promise<readonly (readonly NativePictureEmbeddings[])[]>
  /** What it holds, by device. */
  memoryBreakdown(): readonly NativeMemory[]
  /** A running call is waited for. Everything else throws afterwards. */
  close(): Promise<void>
}

export interface NativeImageSize {
  readonly width: number
  readonly height: number
}

export type NativePromptPiece =
  | { readonly kind: 'tokens'; readonly tokens: Int32Array }
  /**
   * Some models cut a picture into parts, with tokens between them. `picture`: its index in the prompt; `part`: from 0 in each picture.
   * `entries`: how many embeddings it has, each a place in the KV cache; `positions`: by how much the position grows, which is
   * less where positions have several dimensions (M-RoPE).
   */
  | {
      readonly kind: 'picture'
      readonly picture: number
      readonly part: number
      readonly entries: number
      readonly positions: number
    }

export interface NativePicture {
  /** A PNG, JPEG, GIF (its first frame), BMP or PPM file. */
  readonly path: string
  /** As EXIF numbers it. */
  readonly orientation: number
  /**
   * The upright picture is shrunk to this size unless it has it: so it takes the tokens that `tokenize` said for this size. A
   * picture that is smaller is undecodable.
   */
  readonly size: NativeImageSize
}

export type NativePreparedPicture = NativeReadyPicture | { readonly kind: 'undecodable'; readonly message: string }

export interface NativeReadyPicture {
  readonly kind: 'ready'
  /** Names it to `encode` and `drop`. */
  readonly number: number
  /** Memory that it takes. */
  readonly bytes: number
  /** Number of embeddings of each of its parts. */
  readonly entries: readonly number[]
}

/** A part of a picture in the order of `NativePromptPiece`. */
export interface NativePictureEmbeddings {
  /** `embeddingSize` numbers an entry. */
  readonly embeddings: Float32Array
  /** Relative to the first position of the part, in the layout of `NativeBatch.positions`. */
  readonly positions: Int32Array
}
