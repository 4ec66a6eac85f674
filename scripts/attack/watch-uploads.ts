import { readdirSync, readFileSync } from 'node:fs'
import { descendantsOf, residentMib } from '../shared/process-usage.ts'

const lookEveryMs = 10

/** What is seen of a server from outside. */
export interface UploadSight {
  /** Largest resident memory since the last question: of the server's own process, and of any of its children. */
  peaks(): { readonly serverMib: number; readonly childMib: number }
  /** Resolves when a recording is being decoded, or is decoded and computed on. */
  reached(moment: 'decoding' | 'computing'): Promise<void>
  /** Seconds until no file and no decoder is left. */
  cleared(): Promise<number>
  stop(): void
}

/** Looks at the server's memory, its children and its spool, again and again. */
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
    // The first upload makes it.
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
