import type { EngineView } from '../core/live.ts'
import { type StepShares, stepShares } from '../core/step-times.ts'
import type { EngineStatus } from '../engines/model-engine.ts'
import type { EngineStats } from '../engines/protocol.ts'
import { type EngineCount, type EngineRates, emptyCount, engineView, noRates, ratesBetween } from './engine-view.ts'

/** The part of the pool of engines that is watched. */
export interface WatchedPool {
  status(): readonly EngineStatus[]
  stats(modelId: string): Promise<EngineStats | undefined>
}

/** How often it is called. */
const lookEveryMs = 1_000

interface Watched {
  state: EngineStatus['state']
  sinceMs: number
  /** The last, as of the last look. */
  count: EngineCount
  rates: EngineRates
  /** Between the last two looks between which steps ended. */
  shares: StepShares | undefined
  /** A request ended since the last look: it may have run between two looks. */
  hasWorked: boolean
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

  /** A request to the model has ended. */
  noteWork(modelId: string): void {
    const watched = this.#watched.get(modelId)
    if (watched !== undefined) watched.hasWorked = true
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
    if (watched.isAsked) return
    if (watched.count.pid !== pid) {
      watched.count = emptyCount(pid, watched.count.atMs)
      watched.shares = undefined
    }
    const isIdle = running === 0 && !watched.hasWorked && watched.rates === noRates
    if (info === undefined || isIdle) {
      // It computes nothing meanwhile.
      watched.count = { ...watched.count, atMs: nowMs }
      watched.rates = noRates
      return
    }
    watched.hasWorked = false
    watched.isAsked = true
    const stats = await this.#pool.stats(modelId)
    watched.isAsked = false
    if (stats === undefined) return
    const { generatedTokens, decodedPromptTokens, cacheTokens, draftedTokens, acceptedTokens, stepTimes } = stats
    const count = {
      pid,
      atMs: this.#clock(),
      generatedTokens,
      decodedPromptTokens,
      ...(cacheTokens !== undefined && { cacheTokens }),
      ...(draftedTokens !== undefined && { draftedTokens }),
      ...(acceptedTokens !== undefined && { acceptedTokens }),
      ...(stepTimes !== undefined && { stepTimes }),
    }
    watched.rates = ratesBetween(watched.count, count)
    if (stepTimes !== undefined) watched.shares = stepShares(stepTimes, watched.count.stepTimes) ?? watched.shares
    watched.count = count
  }

  views(): readonly EngineView[] {
    const nowMs = this.#clock()
    return this.#pool.status().map((status) => {
      const { rates, shares, count, sinceMs } = this.#of(status.modelId, status.state, nowMs)
      const isLoaded = status.info !== undefined
      const told = isLoaded && count.pid === status.pid ? count : {}
      return engineView(status, {
        ...{ rates: isLoaded ? rates : noRates, told, sinceMs, nowMs },
        stepShares: isLoaded ? shares : undefined,
      })
    })
  }

  #of(modelId: string, state: EngineStatus['state'], nowMs: number): Watched {
    const known = this.#watched.get(modelId)
    if (known !== undefined) return known
    const count = emptyCount(undefined, nowMs - lookEveryMs)
    const watched = {
      state,
      sinceMs: nowMs,
      count,
      rates: noRates,
      shares: undefined,
      hasWorked: false,
      isAsked: false,
    }
    this.#watched.set(modelId, watched)
    return watched
  }
}
