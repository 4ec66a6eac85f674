import { readHeader } from '../header/read-header.ts'
import { invalidImage, invalidImageUrl } from '../image-errors.ts'
import { fileTooLarge, type ImageLimits } from '../image-limits.ts'
import type { ImageBytes } from '../sent-images.ts'
import { Unreadable } from '../unreadable.ts'
import { FetchProblem } from './fetch-problem.ts'
import { imageAddress } from './image-address.ts'
import { readAnswer } from './read-answer.ts'
import { UrlFetcher, type UrlFetcherOptions, type UrlRequest } from './url-fetcher.ts'

export interface ImageFetcherOptions extends UrlFetcherOptions {
  /** True if the operator has enabled it. */
  readonly isAllowed: boolean
}

export interface ImageRequest extends UrlRequest {
  readonly param: string
  readonly limits: ImageLimits
}

/** Fetched picture. Dispose of it once its bytes are stored, so that the next fetch can begin. */
interface FetchedImage extends ImageBytes, Disposable {}

/** Fetches pictures only from servers of the public Internet. */
export class ImageFetcher {
  readonly #isAllowed: boolean
  readonly #fetcher: UrlFetcher

  constructor({ isAllowed, ...options }: ImageFetcherOptions) {
    this.#isAllowed = isAllowed
    this.#fetcher = new UrlFetcher({ name: 'picture', accept: 'image/*' }, options)
  }

  /**
   * Fetches a picture, after other fetches of the account. Throws ApiError 400 `invalid_image_url` if the picture may
   * not be fetched or does not come, 400 `invalid_image` if it is no picture, 413 if the file is too large, and the
   * signal's reason.
   */
  async fetch({ param, limits, ...request }: ImageRequest): Promise<FetchedImage> {
    const bounds = { limitBytes: limits.bytes, tooLarge: () => fileTooLarge(limits, param) }
    try {
      imageAddress(request.url)
      if (!this.#isAllowed) throw invalidImageUrl(param, notAllowed.problem, notAllowed.advice)
      return await this.#fetcher.fetch(request, async (answer, signal) => {
        const file = await readAnswer(answer, { ...bounds, signal })
        return { ...file, header: readHeader(file.bytes) }
      })
    } catch (error) {
      if (error instanceof FetchProblem) throw invalidImageUrl(param, error.message, undefined, error.cause)
      if (error instanceof Unreadable) throw invalidImage(param, error.message)
      throw error
    }
  }
}

const notAllowed = {
  problem: 'this server fetches no pictures from elsewhere.',
  advice: 'Send the picture itself: data:image/png;base64,… The operator can allow it with the setting image-urls.',
}
