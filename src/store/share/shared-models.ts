/** Files that this box shares with others: those that a lock lists, and nothing else. */
import type { CatalogEntry } from '../../catalog/catalog.ts'
import { FileError } from '../../catalog/stat-file.ts'
import { lockedSource } from '../bundle/bundle-sources.ts'
import type { BundledModel } from '../bundle/manifest.ts'
import { isUnchanged, type LockedContent, lockedContents } from '../locked-contents.ts'
import { RateLimit } from '../web/rate-limit.ts'

interface ShareOptions {
  readonly dataDir: string
  readonly entries: () => readonly CatalogEntry[]
  /** Rate limit over all receivers. Undefined means no limit. */
  readonly bytesPerSecond: number | undefined
}

/** Least time between rereads of the locks for an unknown checksum. */
const rereadAfterMs = 1_000

export class SharedModels {
  readonly #options: ShareOptions
  readonly #rate: RateLimit
  #bySum: ReadonlyMap<string, LockedContent> = new Map()
  #readAtMs = Number.NEGATIVE_INFINITY

  constructor(options: ShareOptions) {
    this.#options = options
    this.#rate = new RateLimit(options.bytesPerSecond)
  }

  /** Waits until more bytes may follow these; throws the signal's reason. Undefined without a rate limit. */
  get pace(): ((bytes: number, signal: AbortSignal) => Promise<void>) | undefined {
    if (this.#options.bytesPerSecond === undefined) return undefined
    return (bytes, signal) => this.#rate.take(bytes, signal)
  }

  /** Returns ready models that have a lock, in the form of bundles. */
  models(): BundledModel[] {
    const { dataDir, entries } = this.#options
    const ready = entries().filter(({ status }) => status.kind === 'ready')
    return ready.flatMap((entry) => {
      try {
        return lockedSource(entry, dataDir)?.model ?? []
      } catch (error) {
        if (error instanceof FileError) return [] // a damaged lock: the others are shared
        throw error
      }
    })
  }

  /** Returns the file with this content; undefined if no lock lists it, or it has changed since. */
  find(sha256: string): { readonly path: string; readonly bytes: number } | undefined {
    const found = this.#current(sha256) ?? this.#reread(sha256)
    return found && { path: found.path, bytes: found.file.bytes }
  }

  #current(sha256: string): LockedContent | undefined {
    const found = this.#bySum.get(sha256)
    return found !== undefined && isUnchanged(found.file, found.path) ? found : undefined
  }

  #reread(sha256: string): LockedContent | undefined {
    if (performance.now() - this.#readAtMs < rereadAfterMs) return undefined
    this.#readAtMs = performance.now()
    this.#bySum = new Map(lockedContents(this.#options.dataDir).map((content) => [content.file.sha256, content]))
    return this.#bySum.get(sha256)
  }
}
