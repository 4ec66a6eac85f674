import type { EngineView } from '../core/live.ts'
import type { EngineStatus } from '../engines/model-engine.ts'
import type { EngineStats } from '../engines/protocol.ts'
import { type EngineCount, type EngineRates, engineView, noRates, ratesBetween } from './engine-view.ts'

/** The part of the pool of engines that is watched. */
export interface WatchedPool {
  status(): readonly EngineStatus[]
  stats(modelId: string): Promise<EngineStats | undefined>
}

interface Watched {
  state: EngineStatus['state']
  sinceMs: number
  count: EngineCount | undefined
  rates: EngineRates
  /** The engine has been asked and has not answered. */
  isAsked: boolean
}

/** Looks at all engines each second: since when they are in their state, and how fast they compute. */
export class EngineWatch {
  readonly #pool: WatchedPool
  readonly #clock: () => number
  readonly #watched = new Map<string, Watched>()

  constructor(pool: WatchedPool, clock: () => number) {
    this.#pool = pool
    this.#clock = clock
  }

  /**
   * Asks the engines that work what they have computed; resolves when all have answered. An engine that does not answer is
   * not asked again, and its rates stay until it does.
   */
  async look(): Promise<void> {
    const nowMs = this.#clock()
    await Promise.all(this.#pool.status().map((status) => this.#lookAt(status, nowMs)))
  }

  async #lookAt({ modelId, state, pid, running, info }: EngineStatus, nowMs: number): Promise<void> {
    const watched = this.#of(modelId, state, nowMs)
    if (watched.state !== state) {
      watched.state = state
      watched.sinceMs = nowMs
    }
    const isIdle = running === 0 && watched.rates === noRates && watched.count?.pid === pid
    if (info === undefined || isIdle || watched.isAsked) return
    watched.isAsked = true
    const stats = await this.#pool.stats(modelId)
    watched.isAsked = false
    if (stats === undefined) return
    const count = { pid, atMs: this.#clock(), stats }
    const { outputTokensPerSecond, promptTokensPerSecond } = ratesBetween(watched.count, count)
    const isMoving = outputTokensPerSecond > 0 || promptTokensPerSecond > 0
    watched.rates = isMoving ? { outputTokensPerSecond, promptTokensPerSecond } : noRates
    watched.count = count
  }

  views(): readonly EngineView[] {
    const nowMs = this.#clock()
    return this.#pool.status().map((status) => {
      const { rates, count, sinceMs } = this.#of(status.modelId, status.state, nowMs)
      const isLoaded = status.info !== undefined
      const cacheTokens = isLoaded && count?.pid === status.pid ? count?.stats.cacheTokens : undefined
      return engineView(status, { rates: isLoaded ? rates : noRates, cacheTokens, sinceMs, nowMs })
    })
  }

  #of(modelId: string, state: EngineStatus['state'], nowMs: number): Watched {
    const known = this.#watched.get(modelId)
    if (known !== undefined) return known
    const watched = { state, sinceMs: nowMs, count: undefined, rates: noRates, isAsked: false }
    this.#watched.set(modelId, watched)
    return watched
  }
}
