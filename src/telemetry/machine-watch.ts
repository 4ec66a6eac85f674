import type { MachinePicture } from '../core/live.ts'
import type { EngineStatus } from '../engines/model-engine.ts'
import type { MemoryPoolReport } from '../engines/pool.ts'
import type { MachineSample, SampleMachine } from '../machine/sample-machine.ts'
import { Feed } from './feed.ts'
import { afterSample, type KnownDevice, machinePicture } from './machine-picture.ts'

const everyMs = 2_000
const recentMs = 10_000

export interface MachineWatchOptions {
  readonly sample: SampleMachine
  /** What models hold, as the pool of engines knows it. */
  readonly report: () => { readonly engines: readonly EngineStatus[]; readonly pools: readonly MemoryPoolReport[] }
  /** Milliseconds UTC. */
  readonly clock: () => number
}

/** Samples the machine every 2 seconds while somebody follows its picture, and when it is asked. */
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

  /** The latest picture, unless it is too old to say anything of now. */
  get recent(): MachinePicture | undefined {
    return this.#isOlder(this.#drawnAtMs, recentMs) ? undefined : this.pictures.latest
  }

  /**
   * Called each second; `isWanted`: although nobody follows the picture. While a sample takes long, as where a driver hangs, the
   * picture is drawn all the same: the ages of its figures grow.
   */
  tick(isWanted = false): void {
    if (!this.pictures.isFollowed && !isWanted) return
    if (this.#isOlder(this.#sampledAtMs, everyMs)) void this.#sample()
    if (this.#isOlder(this.#drawnAtMs, everyMs)) this.#draw()
  }

  /** The picture, from a sample of the last 2 seconds. */
  async now(): Promise<MachinePicture | undefined> {
    if (this.#isOlder(this.#sampledAtMs, everyMs)) await this.#sample()
    return this.#picture()
  }

  /** A time in the future is old too: the clock was set back. */
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
    // Of a machine that cannot be looked at, the figures grow old.
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
