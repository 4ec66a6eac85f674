/** Progress of getting a model: for a bar on a terminal, lines of JSON, or a page. */

export const phases = ['resolve', 'wait', 'download', 'verify', 'unpack', 'link'] as const
export type Phase = (typeof phases)[number]

export interface Progress {
  /** Current phase. `wait` means that another process downloads the same file; the numbers are its own. */
  readonly phase: Phase
  /** Name of the file in its plan. */
  readonly name: string
  /** Bytes done in this phase. 100 % of `verify` is the end. */
  readonly bytes: number
  readonly totalBytes: number | undefined
  /** Bytes per second over the last seconds. Undefined while none arrive. */
  readonly rate: number | undefined
  /** Reason for a stall, and the reaction to it. Absent while all is well. */
  readonly trouble?: string | undefined
}

export type OnProgress = (progress: Progress) => void

/** Progress of several files together. */
export interface ProgressSum {
  readonly doneBytes: number
  readonly totalBytes: number
  /** Download rate in bytes per second. Undefined while none arrive. */
  readonly rate: number | undefined
  /** File in progress. */
  readonly open: Progress | undefined
}

/** Returns the sum over the files. `missingBytes` is the known total to fetch at the start. */
export function progressOf(files: readonly Progress[], missingBytes: number): ProgressSum {
  const doneBytes = files.reduce((sum, file) => sum + downloadedBytes(file), 0)
  const rate = files.reduce((sum, file) => sum + (file.phase === 'download' ? (file.rate ?? 0) : 0), 0)
  const open =
    files.find(({ phase }) => phase === 'download') ?? files.findLast(({ bytes, totalBytes: end }) => bytes !== end)
  return { doneBytes, totalBytes: Math.max(missingBytes, doneBytes), rate: rate === 0 ? undefined : rate, open }
}

/** Returns downloaded bytes. A file being verified is downloaded. */
function downloadedBytes({ phase, bytes, totalBytes = 0 }: Progress): number {
  if (phase === 'download' || phase === 'wait') return bytes
  return phase === 'resolve' ? 0 : totalBytes
}

const windowMs = 5_000

/** Rate of a growing amount over the last five seconds. */
export class RateMeter {
  readonly #samples: { readonly timeMs: number; readonly bytes: number }[] = []

  /** Returns bytes per second; undefined until a second has passed. */
  measure(timeMs: number, bytes: number): number | undefined {
    const last = this.#samples.at(-1)
    if (last === undefined || timeMs - last.timeMs >= 200) this.#samples.push({ timeMs, bytes })
    while ((this.#samples[1]?.timeMs ?? timeMs) < timeMs - windowMs) this.#samples.shift()
    const first = this.#samples[0]
    if (first === undefined || timeMs - first.timeMs < 1_000) return undefined
    return Math.round((bytes - first.bytes) / ((timeMs - first.timeMs) / 1_000))
  }
}
