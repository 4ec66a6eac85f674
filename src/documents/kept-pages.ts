import { minuteMs } from '../core/durations.ts'
import type { DocumentPage } from './document-pages.ts'

export interface KeptPagesOptions {
  /** Time after which unused pages are forgotten. */
  readonly keepMs: number
  readonly bytesPerDocument: number
  readonly bytes: number
  /** Monotonic clock in milliseconds. */
  readonly clock: () => number
}

export const keptPagesDefaults = {
  keepMs: 10 * minuteMs,
  bytesPerDocument: 32 * 1024 * 1024,
  bytes: 64 * 1024 * 1024,
  clock: () => performance.now(),
} as const satisfies KeptPagesOptions

interface KeptDocument {
  readonly accountId: string
  readonly pages: readonly DocumentPage[]
  readonly bytes: number
  usedAtMs: number
}

/** Approximate cost of a page besides its text and its picture. */
const bytesBeside = 512

/**
 * Pages of documents that were read lately, in memory alone: clients send the documents of a conversation with each of
 * its messages. Beyond the limit, the account with the most bytes loses its least recently used document.
 */
export class KeptPages {
  readonly #options: KeptPagesOptions
  /** Documents by key, least recently used first. */
  readonly #documents = new Map<string, KeptDocument>()
  readonly #bytesByAccount = new Map<string, number>()
  #bytes = 0
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(options: KeptPagesOptions) {
    this.#options = options
  }

  /** Bytes in use. */
  get bytes(): number {
    return this.#bytes
  }

  /** Returns the pages kept under the key and counts that as use. */
  find(key: string): readonly DocumentPage[] | undefined {
    this.#forgetUnused()
    const found = this.#documents.get(key)
    if (found === undefined) return undefined
    this.#documents.delete(key)
    this.#documents.set(key, { ...found, usedAtMs: this.#options.clock() })
    return found.pages
  }

  /**
   * Yields the pages, and keeps them under the key if all are read and they do not exceed the limit of a document. They
   * count against the account.
   */
  async *keeping(key: string, accountId: string, pages: AsyncIterable<DocumentPage>): AsyncGenerator<DocumentPage> {
    let kept: DocumentPage[] = []
    let bytes = 0
    for await (const page of pages) {
      bytes += 2 * page.text.length + (page.picture?.png.length ?? 0) + bytesBeside
      if (bytes > this.#options.bytesPerDocument) kept = []
      else kept.push(page)
      yield page
    }
    if (bytes > this.#options.bytesPerDocument) return
    this.#keep(key, { accountId, pages: kept, bytes, usedAtMs: this.#options.clock() })
  }

  #keep(key: string, document: KeptDocument): void {
    this.#forget(key)
    this.#documents.set(key, document)
    this.#count(document.accountId, document.bytes)
    while (this.#bytes > this.#options.bytes) this.#forgetOldestOfLargest()
    this.#forgetLater()
  }

  #forgetOldestOfLargest(): void {
    let most = 0
    for (const bytes of this.#bytesByAccount.values()) most = Math.max(most, bytes)
    for (const [key, { accountId }] of this.#documents) {
      if (this.#bytesByAccount.get(accountId) === most) {
        this.#forget(key)
        return
      }
    }
  }

  #count(accountId: string, bytes: number): void {
    this.#bytes += bytes
    const ofAccount = (this.#bytesByAccount.get(accountId) ?? 0) + bytes
    if (ofAccount > 0) this.#bytesByAccount.set(accountId, ofAccount)
    else this.#bytesByAccount.delete(accountId)
  }

  #forget(key: string): void {
    const found = this.#documents.get(key)
    if (found === undefined) return
    this.#documents.delete(key)
    this.#count(found.accountId, -found.bytes)
  }

  #forgetUnused(): void {
    const oldestMs = this.#options.clock() - this.#options.keepMs
    for (const [key, { usedAtMs }] of this.#documents) {
      if (usedAtMs > oldestMs) return
      this.#forget(key)
    }
  }

  /** Forgets unused documents even if no request comes. */
  #forgetLater(): void {
    const [oldest] = this.#documents.values()
    if (this.#timer !== undefined || oldest === undefined) return
    const { keepMs, clock } = this.#options
    const waitMs = Math.ceil(oldest.usedAtMs + keepMs - clock())
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      this.#forgetUnused()
      this.#forgetLater()
    }, waitMs)
    this.#timer.unref()
  }
}
