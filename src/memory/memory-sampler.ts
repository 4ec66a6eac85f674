/** Sampler of the host memory of engine processes while their models are loaded. */
import { forgetPeak, type ProcessMemory, readProcessMemory } from '../machine/process-memory.ts'

const everyMs = 5_000

/** Smallest change that is reported. */
const noticedBytes = 16 * 1024 * 1024
const noticedShare = 0.02

export interface HostUse {
  /**
   * Memory that the process takes from free memory. Excludes mapped files: they are page cache, which counts as free.
   */
  readonly usedBytes: number
  /** Highest resident memory since the load. Includes mapped files, which the process needs for full speed. */
  readonly peakBytes: number
}

interface MemorySamplerOptions {
  /** Called when a process's use is first known, and when it has changed notably. */
  readonly onChange: (modelId: string, use: HostUse) => void
}

interface Residency {
  readonly pid: number
  use: HostUse | undefined
  told: HostUse
}

/** Samples memory by a timer while models are loaded. The timer keeps no process alive. */
export class MemorySampler {
  readonly #options: MemorySamplerOptions
  readonly #residencies = new Map<string, Residency>()
  #timer: Timer | undefined

  constructor(options: MemorySamplerOptions) {
    this.#options = options
  }

  /** Starts measuring a model that has just been loaded. Ignores the temporary memory of the load. */
  start(modelId: string, pid: number): void {
    forgetPeak(pid)
    this.#residencies.set(modelId, { pid, use: undefined, told: { usedBytes: 0, peakBytes: 0 } })
    this.#timer ??= setInterval(() => this.sample(), everyMs).unref()
    this.sample()
  }

  /** Stops measuring. Returns the last measurement; undefined if there was none. */
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

  /** Measures now, like the timer. */
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
