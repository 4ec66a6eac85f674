/** The bill of one paid request: hold before, extend while, settle exactly once after. */

import type { Budget } from '../billing/budgets.ts'
import { costNanoUsd } from '../billing/cost.ts'
import type { HoldOutcome, Holds } from '../billing/holds.ts'
import { ApiError, UnflushedError } from '../core/errors.ts'
import type { Pricing } from '../core/model.ts'
import type { Owner } from '../core/owner.ts'
import type { PaidRequestRecord, RequestFinish } from '../core/request-record.ts'
import { type Consumption, nothingConsumed } from '../core/usage.ts'
import { withinGrant } from '../core/within-grant.ts'

/** Part of billing that checks, holds and settles money */
export type Till = Pick<Holds, 'check' | 'hold' | 'resize' | 'settle' | 'drop' | 'abandon'>

/** Paid request, the account that pays, and the owner of what the request leaves in memory */
export interface PaidRequest
  extends Pick<PaidRequestRecord, 'requestId' | 'accountId' | 'keyId' | 'holderId' | 'endpoint'> {
  readonly owner: Owner
}

/** Use and price of a request that has ended. */
export interface Settlement extends Pick<PaidRequestRecord, 'used' | 'costNanoUsd' | 'finish'> {
  /** Balance after the charge. Undefined for unmetered accounts. */
  readonly balanceNanoUsd: number | undefined
  /** True if `used` was estimated, not counted. */
  readonly isEstimated: boolean
  /** Set if the engine reports more than was granted; `used` is cut to the grant. */
  readonly excess?: Error | undefined
}

export interface BillOptions {
  readonly request: PaidRequest &
    Pick<PaidRequestRecord, 'model' | 'pricing'> & {
      /** False for a model without a price, which metered accounts cannot use. */
      readonly isPriced: boolean
    }
  readonly till: Till
  /** Signal that aborts when the client disconnects. Work computed until then is charged. */
  readonly signal: AbortSignal
  /** Returns true while the server cuts requests off: those are not charged. */
  readonly isStopping: () => boolean
  /** Milliseconds UTC. */
  readonly clock: () => number
  /** Time of the request's arrival. */
  readonly arrivedAtMs: number
  /** True if the model was loaded when the request arrived. */
  readonly wasLoaded: boolean
  /** Called when settling fails after the client has gone. */
  readonly onUnsettled: (error: unknown) => void
}

/** Tells whether an account has enough money, and if not, how much, and the budget that leaves no more, if one does. */
export type Cover = { readonly isEnough: true } | Lack

export interface Lack {
  readonly isEnough: false
  readonly availableNanoUsd: number
  readonly budget?: Budget | undefined
}

export class Bill {
  readonly #options: BillOptions
  #state: 'nothing-held' | 'open' | 'settled' = 'nothing-held'
  #isMetered = true
  /** False if nothing limits what the request may cost. */
  #isHeld = true
  #heldNanoUsd = 0
  #closing: Promise<void> | undefined
  #finishing: Promise<void> | undefined
  /** Most that the request may use. */
  #granted: Consumption | undefined
  #startedAtMs: number | undefined
  #firstOutputMs: number | undefined
  #stoppedAfter: { readonly used: Consumption; readonly isEstimated: boolean } | undefined
  #settlement: Settlement | undefined

  constructor(options: BillOptions) {
    this.#options = options
  }

  get pricing(): Pricing {
    return this.#options.request.pricing
  }

  /** False where neither a balance nor a budget limits the cost. Known after `check` or `cover`. */
  get isHeld(): boolean {
    return this.#isHeld
  }

  /** Undefined until the settlement is on disk, and for a request that used nothing. */
  get settlement(): Settlement | undefined {
    return this.#settlement
  }

  /**
   * Returns the times so far, empty before the work has begun: waiting for it or for the model to load, running, and
   * the first output, counted from the request's arrival.
   */
  times(): Pick<PaidRequestRecord, 'queuedMs' | 'loadingMs' | 'runningMs' | 'firstOutputMs'> {
    const { clock, arrivedAtMs, wasLoaded } = this.#options
    if (this.#startedAtMs === undefined) return {}
    const waitedMs = this.#startedAtMs - arrivedAtMs
    return {
      [wasLoaded ? 'queuedMs' : 'loadingMs']: waitedMs,
      runningMs: clock() - this.#startedAtMs,
      firstOutputMs: this.#firstOutputMs,
    }
  }

  /** Returns the price in nano-USD. */
  priceOf(used: Consumption): number {
    return costNanoUsd(this.pricing, used)
  }

  /**
   * Tells whether the account has money for `least`, the least that the request can use, including what the request
   * already holds. Holds nothing itself: if many requests each held a little, together they could block all of them.
   * Throws ApiError 401 if the key is no longer valid.
   */
  check(least: Consumption): Cover {
    const { request, till } = this.#options
    const amountNanoUsd = Math.max(0, this.priceOf(least) - this.#heldNanoUsd)
    const cover = this.#toCover(till.check({ ...request, amountNanoUsd }))
    return cover.isEnough ? cover : { ...cover, availableNanoUsd: cover.availableNanoUsd + this.#heldNanoUsd }
  }

  /** Tells how much the account could still hold: enough for anything if nothing limits it. Throws as `check` does. */
  left(): Cover {
    const { request, till } = this.#options
    return coverOf(till.check({ ...request, amountNanoUsd: Number.MAX_SAFE_INTEGER }))
  }

  /**
   * Holds the price of `most`, the most that the request may use, replacing its earlier hold. Throws as `check` does.
   */
  async cover(most: Consumption): Promise<Cover> {
    const cover = await this.#hold(most)
    if (cover.isEnough) this.#granted = most
    return cover
  }

  async #hold(most: Consumption): Promise<Cover> {
    const { request, till } = this.#options
    const amountNanoUsd = this.priceOf(most)
    if (this.#state === 'nothing-held') {
      const cover = this.#toCover(await till.hold({ ...request, amountNanoUsd }))
      if (cover.isEnough) this.#state = 'open'
      if (cover.isEnough && this.#isHeld) this.#heldNanoUsd = amountNanoUsd
      return cover
    }
    if (!this.#isHeld) return { isEnough: true }
    const outcome = await till.resize(request.requestId, amountNanoUsd)
    if (outcome.kind === 'insufficient') return coverOf(outcome)
    this.#heldNanoUsd = amountNanoUsd
    return { isEnough: true }
  }

  #toCover(outcome: HoldOutcome): Cover {
    const { model, isPriced } = this.#options.request
    const cover = coverOf(outcome)
    if (outcome.kind === 'held' && !isPriced) throw modelNotPriced(model)
    if (cover.isEnough) {
      this.#isMetered = outcome.kind === 'held'
      this.#isHeld = outcome.kind !== 'unmetered'
    }
    return cover
  }

  /** Records that the engine has begun to compute: from now on the request leaves a record. */
  started(): void {
    this.#startedAtMs = this.#options.clock()
  }

  /** Records that the engine has made some of the answer. */
  hasOutput(): void {
    this.#firstOutputMs ??= this.#options.clock() - this.#options.arrivedAtMs
  }

  /** Records the use of a request whose client disconnected. It will be charged. */
  stoppedAfter(used: Consumption, isEstimated = false): void {
    this.#stoppedAfter = { used, isEstimated }
  }

  /**
   * Settles a complete request, durably, once. Await it before the client gets the end of the answer. Use beyond the
   * grant is not charged: the client has its answer, and cannot owe more than was held.
   */
  finish(said: Consumption, finish: RequestFinish, isEstimated = false): Promise<void> {
    this.#finishing = this.#settle(said, finish, isEstimated)
    return this.#finishing
  }

  async #settle(said: Consumption, finish: RequestFinish, isEstimated: boolean): Promise<void> {
    const { request, till, clock, arrivedAtMs } = this.#options
    const { used, excess } = this.#granted === undefined ? { used: said } : withinGrant(said, this.#granted)
    const costNanoUsd = this.priceOf(used)
    const isMetered = this.#isMetered
    const chargedNanoUsd = isMetered ? costNanoUsd : 0
    const { requestId, accountId, keyId, holderId, endpoint, model, pricing } = request
    const { balanceNanoUsd } = await till.settle({
      ...{ requestId, accountId, keyId, holderId, endpoint, model, pricing },
      ...{ used, costNanoUsd, chargedNanoUsd, isMetered, isHeld: this.#isHeld, finish, isEstimated },
      ...this.times(),
      state: 'ended',
      arrivedAtMs,
      durationMs: clock() - arrivedAtMs,
    })
    this.#state = 'settled'
    this.#settlement = {
      used,
      costNanoUsd,
      finish,
      balanceNanoUsd: isMetered ? balanceNanoUsd : undefined,
      isEstimated,
      excess,
    }
  }

  /**
   * Ends a request, after which nothing is held. A client that disconnected pays for what was computed until then; a
   * failure of ours is not charged. Does nothing for a finished request. Never rejects.
   */
  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #close(): Promise<void> {
    const { signal, isStopping, till, request, onUnsettled } = this.#options
    try {
      // The settlement may have begun before the answer broke off.
      await this.#finishing?.catch(rethrowUnflushed)
      if (this.#state !== 'open') return
      const isClientGone = signal.aborted && !isStopping()
      const stopped = isClientGone ? this.#stoppedAfter : undefined
      if (stopped !== undefined) await this.finish(stopped.used, 'client_disconnect', stopped.isEstimated)
      else if (this.#startedAtMs !== undefined) await this.finish(nothingConsumed, 'failed')
      else {
        this.#state = 'settled'
        if (this.#isHeld) await till.drop(request.requestId)
      }
    } catch (error) {
      till.abandon(request.requestId)
      onUnsettled(error)
    }
  }
}

/**
 * Rethrows the error of a settlement that was written, and must not be made twice. Ignores other errors, which wrote
 * nothing.
 */
function rethrowUnflushed(error: unknown): void {
  if (error instanceof UnflushedError) throw error
}

/** Returns whether the money suffices. Throws ApiError 401 if the key is no longer valid. */
export function coverOf(outcome: HoldOutcome): Cover {
  switch (outcome.kind) {
    case 'held':
    case 'budgeted':
    case 'unmetered':
      return { isEnough: true }
    case 'insufficient': {
      const { availableNanoUsd, budget } = outcome
      return { isEnough: false, availableNanoUsd, budget }
    }
    case 'key-ended':
      throw new ApiError(
        'authentication',
        'The key that pays for this request was revoked or has expired. Use another one.',
        { code: 'key_revoked' },
      )
    case 'account-disabled':
      throw new ApiError(
        'authentication',
        'The account that pays for this request is disabled. Its operator can enable it again.',
        { code: 'account_disabled' },
      )
  }
}

/** Returns a 403, which clients do not retry: only the operator can change it. */
function modelNotPriced(model: string): ApiError {
  return new ApiError(
    'permission',
    `Model '${model}' has no price yet, so it serves unmetered accounts only. The server's operator can set one: ` +
      "by a table [pricing] in the model's manifest, where 0 makes it free for all.",
    { code: 'model_not_priced', param: 'model' },
  )
}
