import type { ModelManifest } from '../core/model.ts'
import type { Consumption } from '../core/usage.ts'
import type { Bill } from './bill.ts'
import { insufficientBalance } from './insufficient-balance.ts'
import { billOf, type Payment } from './run-work.ts'
import { leastUse } from './work-meter.ts'

/** Audio length held ahead of the decoder, so that few pieces of a recording need another hold. */
const aheadMs = 5 * 60_000

/**
 * Hold for a recording while it is decoded. It covers everything decoded so far, so that nothing is decoded that the
 * account cannot pay for beside its other requests. Its bill goes on to the work (`runWork`), which holds the exact
 * price.
 */
export class RecordingHold implements AsyncDisposable {
  readonly bill: Bill
  readonly #billingUrl: string
  #heldMs = -1

  constructor(manifest: ModelManifest, payment: Payment) {
    this.bill = billOf(manifest, payment)
    this.#billingUrl = payment.billingUrl
  }

  /** Holds the price of a recording of at least this length. Throws ApiError 401, 402 or 403. */
  async admit(audioMs: number): Promise<void> {
    if (audioMs <= this.#heldMs) return
    const isGrowing = this.#heldMs >= 0
    if (isGrowing && (await this.#hold(audioMs + aheadMs)).isEnough) return
    const cover = await this.#hold(audioMs)
    if (cover.isEnough) return
    const { bill } = this
    const needed = useOf(audioMs)
    throw insufficientBalance({
      neededNanoUsd: bill.priceOf(needed),
      ...cover,
      pricing: bill.pricing,
      billingUrl: this.#billingUrl,
      estimate: { least: needed, most: needed },
    })
  }

  async #hold(audioMs: number) {
    const cover = await this.bill.cover(useOf(audioMs))
    if (cover.isEnough) this.#heldMs = this.bill.isHeld ? audioMs : Number.POSITIVE_INFINITY
    return cover
  }

  /** Releases the money unless the work was paid with it. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.bill.close()
  }
}

function useOf(audioMs: number): Consumption {
  return { ...leastUse(undefined), audioMs }
}
