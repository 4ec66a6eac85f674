import type { ModelState, WatchedModel } from '../core/model-state.ts'
import { type StepShares, stepShares } from '../core/step-times.ts'
import type { EngineStats } from '../engines/protocol/engine.ts'
import { type EngineCount, type EngineRates, emptyCount, noRates, ratesBetween } from './engine-rates.ts'

/** Watched part of the engine pool. */
export interface WatchedPool {
  status(): readonly ModelState[]
  stats(modelId: string): Promise<EngineStats | undefined>
}

/** Interval of calls to `look`. */
const lookEveryMs = 1_000

interface Watched {
  state: ModelState['state']
  sinceMs: number
  /** Count at the last look. */
  count: EngineCount
  rates: EngineRates
  /** Shares between the last two looks between which a step ended. */
  shares: StepShares | undefined
  /** True if a request ended since the last look. It may have run between two looks, so that neither saw it. */
  hasWorked: boolean
  /** True while the engine has not answered a question. */
  isAsked: boolean
}

/** Watches all engines each second: how long they are in their state, and their speed. */
export class EngineWatch {
  readonly #pool: WatchedPool
  readonly #clock: () => number
  readonly #watched = new Map<string, Watched>()

  constructor(pool: WatchedPool, clock: () => number) {
    this.#pool = pool
    this.#clock = clock
  }

  /** Records the end of a request to the model. */
  noteWork(modelId: string): void {
    const watched = this.#watched.get(modelId)
    if (watched !== undefined) watched.hasWorked = true
  }

  /**
   * Asks working engines for their counts. Resolves when all have answered. An engine that owes an answer is not asked
   * again, and keeps its rates until then.
   */
  async look(): Promise<void> {
    const nowMs = this.#clock()
    await Promise.all(this.#pool.status().map((status) => this.#lookAt(status, nowMs)))
  }

  async #lookAt({ modelId, state, pid, running, info }: ModelState, nowMs: number): Promise<void> {
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
      // The engine computes nothing in the meantime.
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

  models(): readonly WatchedModel[] {
    const nowMs = this.#clock()
    return this.#pool.status().map((model) => {
      const { rates, shares, count, sinceMs } = this.#of(model.modelId, model.state, nowMs)
      const isLoaded = model.info !== undefined
      const counted: Partial<EngineCount> = isLoaded && count.pid === model.pid ? count : {}
      const { cacheTokens, draftedTokens, acceptedTokens, stepTimes } = counted
      return {
        ...model,
        sinceMs,
        retryAtMs: model.retryInMs === undefined ? undefined : Math.round((nowMs + model.retryInMs) / 1000) * 1000,
        ...(isLoaded ? rates : noRates),
        ...{ cacheTokens, draftedTokens, acceptedTokens, stepTimes },
        stepShares: isLoaded ? shares : undefined,
      }
    })
  }

  #of(modelId: string, state: ModelState['state'], nowMs: number): Watched {
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
