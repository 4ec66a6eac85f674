import { ApiError } from '../core/errors.ts'
import { FetchProblem } from '../images/fetch/fetch-problem.ts'
import { readAnswer } from '../images/fetch/read-answer.ts'
import { UrlFetcher, type UrlFetcherOptions, type UrlRequest } from '../images/fetch/url-fetcher.ts'
import { documentLimits, documentTooLarge } from './document-errors.ts'

export interface DocumentFetcherOptions extends UrlFetcherOptions {
  /** True if the operator has enabled it. */
  readonly isAllowed: boolean
}

interface DocumentRequest extends UrlRequest {
  readonly param: string
}

/** Fetched document. Dispose of it once its bytes are stored, so that the next fetch can begin. */
interface FetchedDocument extends Disposable {
  readonly bytes: Uint8Array<ArrayBuffer>
}

/** Fetches documents by the rules of pictures. */
export class DocumentFetcher {
  readonly #isAllowed: boolean
  readonly #fetcher: UrlFetcher

  constructor({ isAllowed, ...options }: DocumentFetcherOptions) {
    this.#isAllowed = isAllowed
    this.#fetcher = new UrlFetcher({ name: 'document', accept: '*/*' }, options)
  }

  /** Throws ApiError 400 `invalid_document_url` unless the operator has enabled it. */
  requireAllowed(param: string): void {
    if (!this.#isAllowed) throw invalidUrl(param, notAllowed.problem, notAllowed.advice)
  }

  /**
   * Fetches a document, after other fetches of the account. Throws ApiError 400 `invalid_document_url` if it may not be
   * fetched or does not come, 413 if it is too large, and the signal's reason.
   */
  async fetch({ param, ...request }: DocumentRequest): Promise<FetchedDocument> {
    this.requireAllowed(param)
    const bounds = { limitBytes: documentLimits.bytes, tooLarge: () => documentTooLarge(param) }
    try {
      return await this.#fetcher.fetch(request, (answer, signal) => readAnswer(answer, { ...bounds, signal }))
    } catch (error) {
      if (error instanceof FetchProblem) throw invalidUrl(param, error.message, sendData, error.cause)
      throw error
    }
  }
}

const sendData = 'Send the document itself, as base64.'
const notAllowed = {
  problem: 'this server fetches no documents from elsewhere.',
  advice: `${sendData} The operator can allow it with the setting file-urls.`,
}

function invalidUrl(param: string, problem: string, advice: string, cause?: unknown): ApiError {
  const message = `'${param}': ${problem} ${advice}`
  return new ApiError('invalid_request', message, { code: 'invalid_document_url', param, cause })
}
