/** The one way in which paid requests run: hold before, extend while, settle exactly once after. */
import { costNanoUsd } from '../billing/cost.ts'
import type { HoldOutcome, HoldRequest, ResizeOutcome, Settled } from '../billing/holds.ts'
import type { UsageEntry, UsageFinish } from '../billing/usage-store.ts'
import { ApiError } from '../core/errors.ts'
import type { Pricing } from '../core/model.ts'
import { unreachable } from '../core/unreachable.ts'
import { type Consumption, nothingConsumed } from '../core/usage.ts'

/** The part of billing that holds and settles (`billing/holds.ts` says what each promises). */
export interface Till {
  check(request: Omit<HoldRequest, 'requestId'>): HoldOutcome
  hold(request: HoldRequest): Promise<HoldOutcome>
  resize(requestId: string, amountNanoUsd: number): Promise<ResizeOutcome>
  settle(entry: UsageEntry): Promise<Settled>
  drop(requestId: string): Promise<void>
  abandon(requestId: string): void
}

/** Who pays, for what, at which prices. */
export interface PaidCall {
  readonly requestId: string
  readonly accountId: string
  readonly keyId: string
  /** Path below /v1. */
  readonly endpoint: string
  /** Canonical id. */
  readonly model: string
  readonly pricing: Pricing
  /** False for a model whose price nobody has set: metered accounts are refused. */
  readonly isPriced: boolean
}

/** Whole or fractional milliseconds that a request spent where; what is not known is absent. */
export interface RunTimes {
  readonly queuedMs?: number | undefined
  readonly loadingMs?: number | undefined
  readonly runningMs?: number | undefined
}

/** What a request came to. */
export interface Settlement {
  readonly used: Consumption
  readonly costNanoUsd: number
  readonly finish: UsageFinish
  /** Undefined for unmetered accounts. */
  readonly balanceNanoUsd: number | undefined
}

export interface MeteredOptions {
  readonly call: PaidCall
  readonly till: Till
  /** Aborts when the client goes away: what was computed until then is charged. */
  readonly signal: AbortSignal
  /** The server itself cuts requests off: that is not the client's doing, and is not charged. */
  readonly isStopping: () => boolean
  readonly times: () => RunTimes
  /** Hears once what the request came to; never for one that was refused before anything was computed. */
  readonly onSettled: (settlement: Settlement) => void
  /** Hears of a failure to settle after the client was gone. */
  readonly onUnsettled: (error: unknown) => void
}

/** How much more an account can pay for. */
export type Cover = { readonly isEnough: true } | { readonly isEnough: false; readonly availableNanoUsd: number }

/** A request's account with its payer, handed to the work that is metered. */
export class Bill {
  readonly #options: MeteredOptions
  #state: 'nothing-held' | 'open' | 'settled' = 'nothing-held'
  #isMetered = true
  #used: Consumption | undefined

  constructor(options: MeteredOptions) {
    this.#options = options
  }

  get pricing(): Pricing {
    return this.#options.call.pricing
  }

  /** False for accounts that no balance limits. Known after `check` or `cover`. */
  get isMetered(): boolean {
    return this.#isMetered
  }

  /** In nano-USD. */
  priceOf(used: Consumption): number {
    return costNanoUsd(this.pricing, used)
  }

  /**
   * Whether there is money for `least`, the least that the request can use. Holds nothing: many requests that each held a
   * little could together keep all of them from going on. Throws ApiError 401 when the key is no longer good.
   */
  check(least: Consumption): Cover {
    const { call, till } = this.#options
    return this.#toCover(till.check({ ...call, amountNanoUsd: this.priceOf(least) }))
  }

  /**
   * Holds the price of `most`, the most that the request may use, instead of what was held for it before. Throws as
   * `check` does.
   */
  async cover(most: Consumption): Promise<Cover> {
    const { call, till } = this.#options
    const amountNanoUsd = this.priceOf(most)
    if (this.#state === 'nothing-held') {
      const cover = this.#toCover(await till.hold({ ...call, amountNanoUsd }))
      if (cover.isEnough) this.#state = 'open'
      return cover
    }
    if (!this.#isMetered) return { isEnough: true }
    const outcome = await till.resize(call.requestId, amountNanoUsd)
    return outcome.kind === 'held'
      ? { isEnough: true }
      : { isEnough: false, availableNanoUsd: outcome.availableNanoUsd }
  }

  #toCover(outcome: HoldOutcome): Cover {
    const { model, isPriced } = this.#options.call
    const cover = coverOf(outcome)
    if (outcome.kind === 'held' && !isPriced) throw modelNotPriced(model)
    if (cover.isEnough) this.#isMetered = outcome.kind === 'held'
    return cover
  }

  /** What has been computed for a client that went away. It is what will be charged. */
  stoppedAfter(used: Consumption): void {
    this.#used = used
  }

  /** Settles a request that is complete, durably. Await it before the client gets the end of the answer. */
  async finish(used: Consumption, finish: UsageFinish): Promise<void> {
    await this.#settle(used, finish)
  }

  /** Ends a request that was not finished, however that came; does nothing for one that was. */
  async close(): Promise<void> {
    if (this.#state !== 'open') return
    const { signal, isStopping, till, call } = this.#options
    const isClientGone = signal.aborted && !isStopping()
    if (isClientGone && this.#used !== undefined) await this.#settle(this.#used, 'client_disconnect')
    else if (this.#options.times().runningMs !== undefined) await this.#settle(nothingConsumed, 'failed')
    else {
      this.#state = 'settled'
      if (this.#isMetered) await till.drop(call.requestId)
    }
  }

  async #settle(used: Consumption, finish: UsageFinish): Promise<void> {
    const { call, till, times, onSettled } = this.#options
    const cost = this.priceOf(used)
    const charged = this.#isMetered ? cost : 0
    const { balanceNanoUsd } = await till.settle({
      ...call,
      ...times(),
      used,
      costNanoUsd: cost,
      chargedNanoUsd: charged,
      isMetered: this.#isMetered,
      finish,
    })
    this.#state = 'settled'
    onSettled({ used, costNanoUsd: cost, finish, balanceNanoUsd: this.#isMetered ? balanceNanoUsd : undefined })
  }
}

/** Whether there is enough. Throws ApiError 401 when the key is no longer good. */
export function coverOf(outcome: HoldOutcome): Cover {
  switch (outcome.kind) {
    case 'held':
    case 'unmetered':
      return { isEnough: true }
    case 'insufficient':
      return { isEnough: false, availableNanoUsd: outcome.availableNanoUsd }
    case 'key-ended':
      throw new ApiError('authentication', 'This API key was revoked or has expired. Use another one.', {
        code: 'key_revoked',
      })
    case 'account-disabled':
      throw new ApiError('authentication', 'This account is disabled. Its operator can enable it again.', {
        code: 'account_disabled',
      })
    default:
      return unreachable(outcome)
  }
}

/** 403, which clients do not repeat: only the operator can change it. */
export function modelNotPriced(model: string): ApiError {
  return new ApiError(
    'permission',
    `Model '${model}' has no price yet, so it serves unmetered accounts only. The server's operator can set one: ` +
      "by a table [pricing] in the model's manifest, where 0 makes it free for all.",
    { code: 'model_not_priced', param: 'model' },
  )
}

/**
 * Runs paid work, which covers what it may use before it computes anything, and finishes the bill before it yields the
 * last of its results. However it ends instead, nothing stays held: a client that went away pays for what
 * was computed until then, and for our own failures nobody pays.
 */
export async function* metered<Result>(
  options: MeteredOptions,
  work: (bill: Bill) => AsyncGenerator<Result>,
): AsyncGenerator<Result> {
  const bill = new Bill(options)
  try {
    yield* work(bill)
  } finally {
    await bill.close().catch((error: unknown) => {
      options.till.abandon(options.call.requestId)
      options.onUnsettled(error)
    })
  }
}
