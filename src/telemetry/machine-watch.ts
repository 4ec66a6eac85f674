import type { MachinePicture } from '../core/live.ts'
import type { ModelState } from '../core/model-state.ts'
import type { MemoryPoolReport } from '../engines/pool.ts'
import type { MachineSample, SampleMachine } from '../machine/sample-machine.ts'
import { Feed } from './feed.ts'
import { afterSample, type KnownDevice, machinePicture } from './machine-picture.ts'

const everyMs = 2_000
const recentMs = 10_000

interface MachineWatchOptions {
  readonly sample: SampleMachine
  /** Returns the engine pool's report of models and their memory. */
  readonly report: () => { readonly engines: readonly ModelState[]; readonly pools: readonly MemoryPoolReport[] }
  /** Milliseconds UTC. */
  readonly clock: () => number
}

/** Samples the machine every 2 seconds while somebody follows its picture, and on demand. */
export class MachineWatch {
  readonly pictures = new Feed<MachinePicture>(() => void this.#sample())
  readonly #options: MachineWatchOptions
  #known: ReadonlyMap<string, KnownDevice> = new Map()
  #latest: MachineSample | undefined
  #sampledAtMs = Number.NEGATIVE_INFINITY
  #drawnAtMs = Number.NEGATIVE_INFINITY
  #sampling: Promise<void> | undefined

  constructor(options: MachineWatchOptions) {
    this.#options = options
  }

  /** Returns the latest picture; undefined if it is too old. */
  get recent(): MachinePicture | undefined {
    return this.#isOlder(this.#drawnAtMs, recentMs) ? undefined : this.pictures.latest
  }

  /**
   * Samples if somebody follows the picture or `isWanted`. Call it each second. While a sample takes long, as with a
   * hanging driver, the old figures are sent again with a greater age.
   */
  tick(isWanted = false): void {
    if (!this.pictures.isFollowed && !isWanted) return
    if (this.#isOlder(this.#sampledAtMs, everyMs)) void this.#sample()
    if (this.#isOlder(this.#drawnAtMs, everyMs)) this.#draw()
  }

  /** Returns the picture from a sample of the last 2 seconds. */
  async now(): Promise<MachinePicture | undefined> {
    if (this.#isOlder(this.#sampledAtMs, everyMs)) await this.#sample()
    return this.#picture()
  }

  /** Returns whether a time is older than `ageMs`. True for a time in the future, since the clock was set back. */
  #isOlder(atMs: number, ageMs: number): boolean {
    return Math.abs(this.#options.clock() - atMs) >= ageMs
  }

  #sample(): Promise<void> {
    this.#sampling ??= this.#sampleOnce().finally(() => {
      this.#sampling = undefined
    })
    return this.#sampling
  }

  async #sampleOnce(): Promise<void> {
    const { sample, report, clock } = this.#options
    const pids = report().engines.flatMap(({ pid }) => pid ?? [])
    // If sampling fails, the old figures stay and age.
    const latest = await sample(pids).catch(() => undefined)
    this.#sampledAtMs = clock()
    if (latest === undefined) return
    this.#latest = latest
    this.#known = afterSample(this.#known, latest, this.#sampledAtMs)
    this.#draw()
  }

  #draw(): void {
    const picture = this.#picture()
    if (picture === undefined) return
    this.#drawnAtMs = picture.atMs
    this.pictures.set(picture)
  }

  #picture(): MachinePicture | undefined {
    if (this.#latest === undefined) return undefined
    const { report, clock } = this.#options
    return machinePicture({ known: this.#known, sample: this.#latest, ...report(), nowMs: clock() })
  }
}
