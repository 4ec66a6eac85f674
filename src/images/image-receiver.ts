import type { ImagePart, TextPart } from '../core/content.ts'
import { Turns } from '../core/turns.ts'
import type { Spool, SpooledFile } from '../spool/spool.ts'
import { writeBytes } from '../spool/write-bytes.ts'
import type { ImageFetcher } from './fetch/image-fetcher.ts'
import { invalidImage, invalidImageUrl } from './image-errors.ts'
import { type ImageLimits, picturesTooLarge, requireFew, requireWithin } from './image-limits.ts'
import { orRemark } from './or-remark.ts'
import type { ImageBytes, SentImage } from './sent-images.ts'
import { Unreadable } from './unreadable.ts'
import { type DecodeWebp, decodeWebp } from './webp/decode-webp.ts'
import { ppmBytes } from './webp/to-ppm.ts'

/** One decode at a time, since each takes up to 16 bytes per pixel. */
const webpTurns = { all: 1 }

/** Time limit for all fetches of a request together, including waits for a turn. */
const fetchesLimitMs = 30_000

export interface ImageReceiverOptions {
  readonly spool: Pick<Spool, 'write' | 'accountLimitBytes'>
  readonly limits: ImageLimits
  readonly fetcher: Pick<ImageFetcher, 'fetch'>
  readonly decodeWebp?: DecodeWebp
  readonly fetchesLimitMs?: number
}

interface ReceiveOptions {
  /** Account whose spool quota the files count against. */
  readonly accountId: string
  /** True if the engine needs no pixels, as for counting tokens, so that no file is written. */
  readonly sizesOnly: boolean
  readonly signal: AbortSignal
  /** Keeps each file as long as the request runs. */
  readonly keep: (file: SpooledFile) => unknown
  /** Called once the request's own bytes have left memory. Only fetches follow. */
  readonly onStored: () => void
}

/** Parts of a request. Undefined for pictures that have not arrived. */
type Parts = (ImagePart | TextPart | undefined)[]

/** Checks the pictures of requests and puts them into spool files. */
export class ImageReceiver {
  readonly #options: ImageReceiverOptions
  readonly #webpTurns = new Turns(webpTurns)

  constructor(options: ImageReceiverOptions) {
    this.#options = options
  }

  get limits(): ImageLimits {
    return this.#options.limits
  }

  /**
   * Returns the pictures in the engines' form, in order. Checks all headers before anything is written or decoded.
   * Replaces an unusable picture of a tool by a remark, since agents do not choose their tools' results and resend them
   * every turn. Throws ApiError 400 `invalid_image`, `invalid_image_url` or `too_many_images`, 413 for a picture file
   * that is too large and for pictures that can never fit the account's spool quota, errors of `Spool`, and the
   * signal's reason.
   */
  async receive(images: readonly SentImage[], options: ReceiveOptions): Promise<(ImagePart | TextPart)[]> {
    const { limits, spool } = this.#options
    requireFew(images, limits)
    const room = new SpoolRoom(spool.accountLimitBytes)
    const parts: Parts = []
    for (const image of images) parts.push(await orRemark(image, remark, () => this.#requireUsable(image, room)))
    for (const [index, image] of images.entries()) {
      parts[index] ??= await orRemark(image, remark, () => this.#storeSent(image, options))
    }
    options.onStored()
    await this.#fetchAll(images, parts, room, options)
    return parts.filter((part) => part !== undefined)
  }

  #requireUsable({ content, param }: SentImage, room: SpoolRoom): undefined {
    if (content.kind === 'unreadable') throw invalidImage(param, content.reason)
    if (content.kind === 'bytes') this.#requireRoom(content, param, room)
  }

  #requireRoom(image: ImageBytes, param: string, room: SpoolRoom): void {
    const { bytes, header } = image
    requireWithin({ sizeBytes: bytes.length, header }, this.#options.limits, param)
    room.take(storedBytes(image))
  }

  async #storeSent(image: SentImage, options: ReceiveOptions): Promise<ImagePart | undefined> {
    return image.content.kind === 'bytes' ? await this.#store(image, image.content, options) : undefined
  }

  /**
   * Fetches pictures into their places in `parts`. The first failure ends all other fetches; this throws once all have
   * ended, so that none outlives the request.
   */
  async #fetchAll(images: readonly SentImage[], parts: Parts, room: SpoolRoom, options: ReceiveOptions): Promise<void> {
    const limitMs = this.#options.fetchesLimitMs ?? fetchesLimitMs
    const failed = new AbortController()
    const signal = AbortSignal.any([options.signal, failed.signal])
    const fetch = async (image: SentImage, index: number) => {
      const { content } = image
      if (content.kind !== 'url') return
      parts[index] = await orRemark(image, remark, () => this.#fetch(image, content.url, room, { ...options, signal }))
    }
    const timer = setTimeout(() => {
      const missing = images.find((_image, index) => parts[index] === undefined)
      failed.abort(invalidImageUrl(missing?.param ?? '', tooSlow(limitMs)))
    }, limitMs)
    try {
      await Promise.allSettled(images.map((image, index) => fetch(image, index).catch((error) => failed.abort(error))))
      signal.throwIfAborted()
    } finally {
      clearTimeout(timer)
    }
  }

  async #fetch(image: SentImage, url: string, room: SpoolRoom, options: ReceiveOptions): Promise<ImagePart> {
    const { fetcher, limits } = this.#options
    const { accountId, signal } = options
    using fetched = await fetcher.fetch({ url, param: image.param, limits, accountId, signal })
    this.#requireRoom(fetched, image.param, room)
    return await this.#store(image, fetched, options)
  }

  async #store({ detail, param }: SentImage, image: ImageBytes, options: ReceiveOptions): Promise<ImagePart> {
    const { hash, header } = image
    options.signal.throwIfAborted()
    const path = options.sizesOnly ? '' : await this.#write(image, param, options)
    const { width, height, orientation } = header
    return { type: 'image', hash, path, detail, width, height, orientation, param }
  }

  async #write(image: ImageBytes, param: string, { accountId, signal, keep }: ReceiveOptions): Promise<string> {
    if (image.header.format !== 'WebP') return await this.#writeBytes(image.bytes, accountId, keep)
    const { width, height } = image.header
    // The native decoder does not know this format.
    using _turn = await this.#webpTurns.take(accountId, width * height, signal)
    try {
      const decode = this.#options.decodeWebp ?? decodeWebp
      return await this.#writeBytes(await decode(image.bytes, { width, height, signal }), accountId, keep)
    } catch (error) {
      if (error instanceof Unreadable) throw invalidImage(param, error.message, undefined, error.cause)
      throw error
    }
  }

  async #writeBytes(bytes: Uint8Array, accountId: string, keep: ReceiveOptions['keep']): Promise<string> {
    const { path } = await writeBytes(this.#options.spool, bytes, { accountId, keep })
    return path
  }
}

const remark: TextPart = { type: 'text', text: '[image omitted: it cannot be read]' }

/** Spool space that the pictures of a request take. */
class SpoolRoom {
  readonly #limitBytes: number
  #takenBytes = 0

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes
  }

  /** Throws ApiError 413 beyond the limit. */
  take(bytes: number): void {
    this.#takenBytes += bytes
    if (this.#takenBytes > this.#limitBytes) throw picturesTooLarge(this.#takenBytes, this.#limitBytes)
  }
}

/** Returns the stored file's size, which follows from the header. */
function storedBytes({ bytes, header }: ImageBytes): number {
  return header.format === 'WebP' ? ppmBytes(header) : bytes.length
}

function tooSlow(limitMs: number): string {
  return `the pictures of the request do not arrive within ${limitMs / 1000} seconds.`
}
