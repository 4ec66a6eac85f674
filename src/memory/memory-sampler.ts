/** Measures the host's memory of engine processes while their models are loaded. */
import { forgetPeak, type ProcessMemory, readProcessMemory } from '../machine/process-memory.ts'

const everyMs = 5_000

/** Smaller changes are not told. */
const noticedBytes = 16 * 1024 * 1024
const noticedShare = 0.02

export interface HostUse {
  /** What the process takes of free memory; mapped files are page cache, which counts as free. */
  readonly usedBytes: number
  /** The highest that it had in memory since its model was loaded, mapped files included: it needs so much to run at full speed. */
  readonly peakBytes: number
}

export interface MemorySamplerOptions {
  /** What a model's process uses is known, or has changed by a notable amount. */
  readonly onChange: (modelId: string, use: HostUse) => void
}

interface Residency {
  readonly pid: number
  use: HostUse | undefined
  told: HostUse
}

/** Its timer runs while models are loaded, and keeps no process alive. */
export class MemorySampler {
  readonly #options: MemorySamplerOptions
  readonly #residencies = new Map<string, Residency>()
  #timer: Timer | undefined

  constructor(options: MemorySamplerOptions) {
    this.#options = options
  }

  /** The model has just been loaded: what its load took beyond that does not count. */
  start(modelId: string, pid: number): void {
    forgetPeak(pid)
    this.#residencies.set(modelId, { pid, use: undefined, told: { usedBytes: 0, peakBytes: 0 } })
    this.#timer ??= setInterval(() => this.sample(), everyMs).unref()
    this.sample()
  }

  /** Its process ends, or has ended. What was measured last; undefined where nothing could be. */
  stop(modelId: string): HostUse | undefined {
    this.sample()
    const use = this.#residencies.get(modelId)?.use
    this.#residencies.delete(modelId)
    if (this.#residencies.size === 0) {
      clearInterval(this.#timer)
      this.#timer = undefined
    }
    return use
  }

  /** Measures now, as the timer does. */
  sample(): void {
    const pids = [...this.#residencies.values()].map(({ pid }) => pid)
    if (pids.length === 0) return
    const memory = readProcessMemory(pids)
    for (const [modelId, residency] of this.#residencies) {
      const measured = memory.get(residency.pid)
      if (measured !== undefined) this.#note(modelId, residency, measured)
    }
  }

  #note(modelId: string, residency: Residency, { privateBytes, peakBytes }: ProcessMemory): void {
    const use = { usedBytes: privateBytes, peakBytes: Math.max(peakBytes, residency.use?.peakBytes ?? 0) }
    residency.use = use
    const { told } = residency
    if (!isNotable(use.usedBytes, told.usedBytes) && !isNotable(use.peakBytes, told.peakBytes)) return
    residency.told = use
    this.#options.onChange(modelId, use)
  }
}

function isNotable(bytes: number, toldBytes: number): boolean {
  return Math.abs(bytes - toldBytes) >= Math.max(noticedBytes, toldBytes * noticedShare)
}
