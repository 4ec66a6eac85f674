import { ApiError } from '../../core/errors.ts'
import { FetchProblem } from './fetch-problem.ts'
import { readAnswer } from './read-answer.ts'
import { UrlFetcher, type UrlFetcherOptions, type UrlRequest } from './url-fetcher.ts'

/** Kind of files that requests refer to by their addresses. */
export interface FetchedFiles {
  /** Noun for one of them in messages. */
  readonly name: string
  /** Code of the error of one that cannot be fetched. */
  readonly code: string
  readonly limitBytes: number
  readonly tooLarge: (param: string) => ApiError
}

export interface FileFetcherOptions extends UrlFetcherOptions {
  /** True if the operator has enabled it. */
  readonly isAllowed: boolean
}

interface FileRequest extends UrlRequest {
  readonly param: string
}

/** Fetched file. Dispose of it once its bytes are stored, so that the next fetch can begin. */
interface FetchedFile extends Disposable {
  readonly bytes: Uint8Array<ArrayBuffer>
}

/** Fetches files of one kind by the rules of pictures. */
export class FileFetcher {
  readonly #kind: FetchedFiles
  readonly #isAllowed: boolean
  readonly #fetcher: UrlFetcher

  constructor(kind: FetchedFiles, { isAllowed, ...options }: FileFetcherOptions) {
    this.#kind = kind
    this.#isAllowed = isAllowed
    this.#fetcher = new UrlFetcher({ name: kind.name, accept: '*/*' }, options)
  }

  /** Throws ApiError 400 with the kind's code unless the operator has enabled it. */
  requireAllowed(param: string): void {
    if (this.#isAllowed) return
    const problem = `this server fetches no ${this.#kind.name}s from elsewhere.`
    const advice = `${this.#sendData} The operator can allow it with the setting file-urls.`
    throw this.#invalidUrl(param, problem, advice)
  }

  /**
   * Fetches a file, after other fetches of the account. Throws ApiError 400 with the kind's code if it may not be
   * fetched or does not come, 413 if it is too large, and the signal's reason.
   */
  async fetch({ param, ...request }: FileRequest): Promise<FetchedFile> {
    this.requireAllowed(param)
    const { limitBytes, tooLarge } = this.#kind
    const bounds = { limitBytes, tooLarge: () => tooLarge(param) }
    try {
      return await this.#fetcher.fetch(request, (answer, signal) => readAnswer(answer, { ...bounds, signal }))
    } catch (error) {
      if (error instanceof FetchProblem) throw this.#invalidUrl(param, error.message, this.#sendData, error.cause)
      throw error
    }
  }

  get #sendData(): string {
    return `Send the ${this.#kind.name} itself, as base64.`
  }

  #invalidUrl(param: string, problem: string, advice: string, cause?: unknown): ApiError {
    const message = `'${param}': ${problem} ${advice}`
    return new ApiError('invalid_request', message, { code: this.#kind.code, param, cause })
  }
}
