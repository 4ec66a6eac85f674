import { sizeText } from '../core/quantities.ts'
import type { Io } from './io.ts'

const pauseMs = 200
/** Time before progress is shown: shorter work needs none, in milliseconds. */
const quietMs = 1_000

/** Shows on a terminal the share that has been read so far. Removes the line at the end. */
export function showRead(
  io: Io,
  what: string,
): Disposable & { readonly show: (bytes: number, totalBytes: number) => void } {
  const startedMs = performance.now()
  let nextMs = startedMs + quietMs
  return {
    show(bytes, totalBytes) {
      const nowMs = performance.now()
      if (nowMs < nextMs) return
      nextMs = nowMs + pauseMs
      const percent = Math.floor((100 * bytes) / Math.max(totalBytes, 1))
      const rate = sizeText((1000 * bytes) / (nowMs - startedMs))
      io.redraw?.(`${what}  ${percent} % of ${sizeText(totalBytes)} read, ${rate}/s`)
    },
    [Symbol.dispose]: () => io.redraw?.(''),
  }
}
