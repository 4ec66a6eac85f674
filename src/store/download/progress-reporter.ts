import { type OnProgress, type Phase, RateMeter } from '../progress.ts'

const intervalMs = 100

/** Tells how far a file is: at each new phase, at trouble, and else ten times a second. */
export class ProgressReporter {
  readonly #name: string
  readonly #onProgress: OnProgress
  #phase: Phase = 'resolve'
  #bytes = 0
  #totalBytes: number | undefined
  #trouble: string | undefined
  #meter = new RateMeter()
  #toldMs = Number.NEGATIVE_INFINITY

  constructor(name: string, onProgress: OnProgress) {
    this.#name = name
    this.#onProgress = onProgress
  }

  get phase(): Phase {
    return this.#phase
  }

  begin(phase: Phase, bytes: number, totalBytes: number | undefined): void {
    this.#phase = phase
    this.#totalBytes = totalBytes
    this.#trouble = undefined
    this.#bytes = bytes
    this.#meter = new RateMeter()
    this.#tell(performance.now())
  }

  add(bytes: number): void {
    this.set(this.#bytes + bytes)
  }

  set(bytes: number): void {
    this.#bytes = bytes
    this.#trouble = undefined
    const nowMs = performance.now()
    if (nowMs - this.#toldMs >= intervalMs) this.#tell(nowMs)
  }

  say(trouble: string): void {
    this.#trouble = trouble
    this.#tell(performance.now())
  }

  #tell(nowMs: number): void {
    this.#toldMs = nowMs
    this.#onProgress({
      phase: this.#phase,
      name: this.#name,
      bytes: this.#bytes,
      totalBytes: this.#totalBytes,
      rate: this.#meter.measure(nowMs, this.#bytes),
      trouble: this.#trouble,
    })
  }
}
