import { hourMs } from '../core/durations.ts'
import type { Owner } from '../core/owner.ts'
import { RecentCache, type RecentCacheOptions } from '../core/recent-cache.ts'
import type { AnswerItem } from '../wire/dialect.ts'

export const recentItemsDefaults = {
  keepMs: hourMs,
  bytesPerAccount: 16 * 1024 * 1024,
  bytes: 64 * 1024 * 1024,
  clock: () => performance.now(),
} as const satisfies RecentCacheOptions

/** Approximate cost of an item besides its text. */
const bytesBesideText = 512

/** Items of recent answers, in memory alone, which later requests of the same owner may refer to by id. */
export class RecentItems {
  /** JSON texts by owner and id. */
  readonly #texts: RecentCache<string>

  constructor(options: RecentCacheOptions) {
    this.#texts = new RecentCache(options)
  }

  /** Keeps an item of an answer unless it exceeds the owner's limit alone. */
  keep(owner: Owner, item: AnswerItem): void {
    // Log probabilities are many times as long as the text, and no request needs them.
    const text = JSON.stringify(item, (name, value) => (name === 'logprobs' ? undefined : value))
    this.#texts.keep(keyOf(owner, item.id), owner, text, 2 * text.length + bytesBesideText)
  }

  /** Returns the owner's item with this id and counts that as use. */
  find(owner: Owner, id: string): object | undefined {
    const text = this.#texts.find(keyOf(owner, id))
    return text === undefined ? undefined : JSON.parse(text)
  }

  /** Forgets everything. */
  clear(): void {
    this.#texts.clear()
  }
}

function keyOf(owner: Owner, id: string): string {
  return `${owner} ${id}`
}
