/** What getting a model tells while it runs: for a bar on a terminal, for lines of JSON, for a page. */

export const phases = ['resolve', 'wait', 'download', 'verify', 'unpack', 'link'] as const
export type Phase = (typeof phases)[number]

export interface Progress {
  /** `wait`: another process downloads the same file; the numbers are its own. */
  readonly phase: Phase
  /** The file's name in its plan. */
  readonly name: string
  /** Done of this phase, so that 100 % of `verify` is the end. */
  readonly bytes: number
  readonly totalBytes: number | undefined
  /** Bytes per second in the last seconds, while bytes flow. */
  readonly rate: number | undefined
  /** Why nothing flows just now, and what is done about it; absent while all is well. */
  readonly trouble?: string | undefined
}

export type OnProgress = (progress: Progress) => void

/** How far several files are together. */
export interface ProgressSum {
  readonly doneBytes: number
  readonly totalBytes: number
  /** Of those that are downloaded; undefined while nothing flows. */
  readonly rate: number | undefined
  /** The file that something is done to. */
  readonly open: Progress | undefined
}

/** `missingBytes`: of all files, as far as that was known before. */
export function progressOf(files: readonly Progress[], missingBytes: number): ProgressSum {
  const doneBytes = files.reduce((sum, file) => sum + downloadedBytes(file), 0)
  const rate = files.reduce((sum, file) => sum + (file.phase === 'download' ? (file.rate ?? 0) : 0), 0)
  const open =
    files.find(({ phase }) => phase === 'download') ?? files.findLast(({ bytes, totalBytes: end }) => bytes !== end)
  return { doneBytes, totalBytes: Math.max(missingBytes, doneBytes), rate: rate === 0 ? undefined : rate, open }
}

/** A file that is verified has been downloaded. */
function downloadedBytes({ phase, bytes, totalBytes = 0 }: Progress): number {
  if (phase === 'download' || phase === 'wait') return bytes
  return phase === 'resolve' ? 0 : totalBytes
}

const windowMs = 5_000

/** The rate of an amount that grows, over the last five seconds. */
export class RateMeter {
  readonly #samples: { readonly timeMs: number; readonly bytes: number }[] = []

  /** Bytes per second, undefined until a second has passed. */
  measure(timeMs: number, bytes: number): number | undefined {
    const last = this.#samples.at(-1)
    if (last === undefined || timeMs - last.timeMs >= 200) this.#samples.push({ timeMs, bytes })
    while ((this.#samples[1]?.timeMs ?? timeMs) < timeMs - windowMs) this.#samples.shift()
    const first = this.#samples[0]
    if (first === undefined || timeMs - first.timeMs < 1_000) return undefined
    return Math.round((bytes - first.bytes) / ((timeMs - first.timeMs) / 1_000))
  }
}
