import type { FlushFile } from '../db/log-flush.ts'

export interface SlowDisk {
  readonly flush: FlushFile
  /** Flushes so far, each of which ends when a test says so. */
  readonly flushes: readonly PromiseWithResolvers<void>[]
}

/** A disk that takes what is written when a test resolves the flush, and fails when it rejects it. */
export function slowDisk(): SlowDisk {
  const flushes: PromiseWithResolvers<void>[] = []
  const flush = () => {
    const begun = Promise.withResolvers<void>()
    flushes.push(begun)
    return begun.promise
  }
  return { flush, flushes }
}
