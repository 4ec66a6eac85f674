import { minuteMs } from '../core/durations.ts'
import { RecentCache, type RecentCacheOptions } from '../core/recent-cache.ts'
import type { DocumentPage } from './document-pages.ts'

export interface KeptPagesOptions extends Omit<RecentCacheOptions, 'bytesPerAccount'> {
  readonly bytesPerDocument: number
}

export const keptPagesDefaults = {
  keepMs: 10 * minuteMs,
  bytesPerDocument: 32 * 1024 * 1024,
  bytes: 64 * 1024 * 1024,
  clock: () => performance.now(),
} as const satisfies KeptPagesOptions

/** Approximate cost of a page besides its text and its picture. */
const bytesBeside = 512

/**
 * Pages of documents that were read lately, in memory alone: clients send the documents of a conversation with each of
 * its messages.
 */
export class KeptPages {
  readonly #bytesPerDocument: number
  readonly #documents: RecentCache<readonly DocumentPage[]>

  constructor({ bytesPerDocument, ...options }: KeptPagesOptions) {
    this.#bytesPerDocument = bytesPerDocument
    this.#documents = new RecentCache({ ...options, bytesPerAccount: options.bytes })
  }

  /** Returns the pages kept under the key and counts that as use. */
  find(key: string): readonly DocumentPage[] | undefined {
    return this.#documents.find(key)
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
      if (bytes > this.#bytesPerDocument) kept = []
      else kept.push(page)
      yield page
    }
    if (bytes <= this.#bytesPerDocument) this.#documents.keep(key, accountId, kept, bytes)
  }
}
