import { sizeText } from '../core/quantities.ts'
import type { Io } from './io.ts'

const pauseMs = 200
/** Shorter work needs no progress. */
const quietMs = 1_000

/** Shows on a terminal how much of something has been read. */
export function showRead(io: Io, what: string): { show: (bytes: number, totalBytes: number) => void; end: () => void } {
  const startedMs = performance.now()
  let shownMs = startedMs + quietMs
  let isShown = false
  return {
    show(bytes, totalBytes) {
      const nowMs = performance.now()
      if (nowMs < shownMs || !process.stderr.isTTY) return
      shownMs = nowMs + pauseMs
      isShown = true
      const percent = Math.floor((100 * bytes) / Math.max(totalBytes, 1))
      const rate = sizeText((1000 * bytes) / (nowMs - startedMs))
      io.error(`\r${what}: ${percent} % of ${sizeText(totalBytes)}, ${rate}/s   `)
    },
    end() {
      if (isShown) io.error('\n')
    },
  }
}
