/** What this box gives to others: files that a lock lists, and nothing else. */
import type { CatalogEntry } from '../../catalog/catalog.ts'
import { FileError } from '../../catalog/stat-file.ts'
import { lockedSource } from '../bundle/bundle-sources.ts'
import type { BundledModel } from '../bundle/manifest.ts'
import { isUnchanged, type LockedContent, lockedContents } from '../locked-contents.ts'
import { RateLimit } from '../web/rate-limit.ts'

export interface ShareOptions {
  readonly dataDir: string
  readonly entries: () => readonly CatalogEntry[]
  /** To all others together; undefined: as fast as they take it. */
  readonly bytesPerSecond: number | undefined
}

/** Locks are read again at most so often for sums that none of them lists. */
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

  /** Resolves when these bytes may be followed by others, throws the signal's reason; undefined: nobody has to wait. */
  get pace(): ((bytes: number, signal: AbortSignal) => Promise<void>) | undefined {
    if (this.#options.bytesPerSecond === undefined) return undefined
    return (bytes, signal) => this.#rate.take(bytes, signal)
  }

  /** Models that are ready and have a lock, as bundles describe them. */
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

  /** The file with this content; undefined when no lock lists it, or it was changed since. */
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
