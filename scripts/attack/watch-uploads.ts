import { readdirSync, readFileSync } from 'node:fs'
import { descendantsOf, residentMib } from '../shared/process-usage.ts'

const lookEveryMs = 10

/** Facts about a server that can be seen from outside. */
export interface UploadSight {
  /** Returns the largest resident memory since the last call: of the server's process, and of any of its children. */
  peaks(): { readonly serverMib: number; readonly childMib: number }
  /** Resolves when a recording is being decoded, or decoded and computed at once. */
  reached(moment: 'decoding' | 'computing'): Promise<void>
  /** Resolves with the seconds until no file and no decoder is left. */
  cleared(): Promise<number>
  stop(): void
}

/** Watches the server's memory, its children and its spool. */
export function watchUploads(pid: number, spool: string): UploadSight {
  let peaks = { serverMib: 0, childMib: 0 }
  let files = 0
  let decoders = 0
  let wasDecoding = false
  const waiters = new Set<() => boolean>()
  const look = () => {
    const children = descendantsOf(pid)
    peaks = {
      serverMib: Math.max(peaks.serverMib, residentMib(pid)),
      childMib: Math.max(peaks.childMib, ...children.map(residentMib)),
    }
    files = filesIn(spool)
    decoders = children.filter(isDecoder).length
    wasDecoding ||= files > 1
    for (const waiter of waiters) if (waiter()) waiters.delete(waiter)
  }
  const timer = setInterval(look, lookEveryMs)
  const until = (test: () => boolean) =>
    new Promise<void>((resolve) => {
      waiters.add(() => {
        if (test()) resolve()
        return test()
      })
    })
  return {
    peaks: () => {
      const seen = peaks
      peaks = { serverMib: 0, childMib: 0 }
      return seen
    },
    reached: (moment) => {
      wasDecoding = false
      return until(() => wasDecoding && (moment === 'decoding' || files === 1))
    },
    cleared: async () => {
      const beginMs = performance.now()
      await until(() => files === 0 && decoders === 0)
      return (performance.now() - beginMs) / 1000
    },
    stop: () => clearInterval(timer),
  }
}

function filesIn(folder: string): number {
  try {
    return readdirSync(folder).length
  } catch {
    // The first upload creates the folder.
    return 0
  }
}

function isDecoder(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/comm`, 'utf8').trim() === 'ffmpeg'
  } catch {
    return false
  }
}
