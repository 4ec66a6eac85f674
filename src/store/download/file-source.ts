import type { Answer } from '../web/answer.ts'
import { type ResolvedFile, tagOf } from '../web/resolve-file.ts'
import { WebError } from '../web/web-error.ts'

/** Status codes of expired addresses. */
const expiredStatuses: readonly (number | undefined)[] = [400, 401, 403, 404, 410, 416]

/** Refusals in a row, of fresh addresses, after which ranges are no longer requested. */
const refusalLimit = 3

/** Error of a file whose content changed during the download. */
export class FileChanged extends Error {
  override name = 'FileChanged'
}

/** Address of a file's bytes, which is requested again when it expires. */
export class FileSource {
  readonly #address: URL
  readonly #resolve: () => Promise<ResolvedFile>
  #resolved: ResolvedFile
  #renewing: Promise<void> | undefined
  #refusals = 0

  /** `resolve` requests the address of the bytes again. */
  constructor(address: URL, resolved: ResolvedFile, resolve: () => Promise<ResolvedFile>) {
    this.#address = address
    this.#resolved = resolved
    this.#resolve = resolve
  }

  get resolved(): ResolvedFile {
    return this.#resolved
  }

  noteProgress(): void {
    this.#refusals = 0
  }

  /**
   * Decides what to do after an error from `used`: `retry` with the current address, or `whole` if the server refuses
   * ranges. Throws the error if it is final.
   */
  async afterError(error: unknown, used: ResolvedFile): Promise<'retry' | 'whole'> {
    if (!(error instanceof WebError) || !expiredStatuses.includes(error.status)) throw error
    if (used !== this.#resolved) return 'retry'
    this.#refusals++
    if (this.#refusals >= refusalLimit) {
      if (error.status === 403) return 'whole'
      throw error
    }
    this.#renewing ??= this.#renew().finally(() => {
      this.#renewing = undefined
    })
    await this.#renewing
    return 'retry'
  }

  async #renew(): Promise<void> {
    const fresh = await this.#resolve()
    const old = this.#resolved
    if (fresh.bytes !== old.bytes || fresh.tag !== old.tag || fresh.commit !== old.commit) throw this.#changed()
    this.#resolved = fresh
  }

  /** Throws FileChanged if an answer to `used` has other content. */
  requireSame(answer: Answer, { addressTag }: ResolvedFile): void {
    const tag = tagOf(answer.headers.get('etag'))
    if (addressTag === undefined || tag === undefined || tag === addressTag) return
    answer.close()
    throw this.#changed()
  }

  #changed(): FileChanged {
    return new FileChanged(`${this.#address.host} has another version of the file than a moment ago`)
  }
}
