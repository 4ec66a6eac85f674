import type { DownloadPhase, OnProgress } from '../../core/download.ts'

const intervalMs = 100

/** Reports the progress of a file: at each new phase, at each trouble, and otherwise ten times a second. */
export class ProgressReporter {
  readonly #onProgress: OnProgress
  #state: Omit<Parameters<OnProgress>[0], 'rate'>
  #meter = new RateMeter()
  #toldMs = Number.NEGATIVE_INFINITY

  constructor(name: string, onProgress: OnProgress) {
    this.#state = { name, phase: 'resolve', bytes: 0, totalBytes: undefined, trouble: undefined }
    this.#onProgress = onProgress
  }

  get phase(): DownloadPhase {
    return this.#state.phase
  }

  begin(phase: DownloadPhase, bytes: number, totalBytes: number | undefined): void {
    this.#state = { ...this.#state, phase, bytes, totalBytes, trouble: undefined }
    this.#meter = new RateMeter()
    this.#tell(performance.now())
  }

  add(bytes: number): void {
    this.set(this.#state.bytes + bytes)
  }

  set(bytes: number): void {
    this.#state = { ...this.#state, bytes, trouble: undefined }
    const nowMs = performance.now()
    if (nowMs - this.#toldMs >= intervalMs) this.#tell(nowMs)
  }

  say(trouble: string): void {
    this.#state = { ...this.#state, trouble }
    this.#tell(performance.now())
  }

  #tell(nowMs: number): void {
    this.#toldMs = nowMs
    this.#onProgress({ ...this.#state, rate: this.#meter.measure(nowMs, this.#state.bytes) })
  }
}

const windowMs = 5_000

/** Rate of a growing amount over the last five seconds. */
class RateMeter {
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
