import type { FlushFile } from '../db/log-flush.ts'

export interface SlowDisk {
  readonly flush: FlushFile
  /** Flushes so far. The test ends each one. */
  readonly flushes: readonly PromiseWithResolvers<void>[]
}

/** Returns a disk whose flush succeeds when a test resolves it, and fails when a test rejects it. */
export function slowDisk(): SlowDisk {
  const flushes: PromiseWithResolvers<void>[] = []
  const flush = () => {
    const begun = Promise.withResolvers<void>()
    flushes.push(begun)
    return begun.promise
  }
  return { flush, flushes }
}
