import { type Consumption, nothingConsumed } from '../core/usage.ts'
import type { EngineMeter } from '../engines/meter.ts'
import type { Estimate, Grant } from '../engines/protocol.ts'
import { insufficientBalance } from './insufficient-balance.ts'
import type { Bill, Cover } from './metered.ts'

export interface TextsMeterOptions {
  readonly bill: Bill
  readonly billingUrl: string
}

/** Holds money for texts that are embedded or scored: all of it at once, since all of it is known before. */
export class TextsMeter implements EngineMeter {
  readonly #options: TextsMeterOptions

  constructor(options: TextsMeterOptions) {
    this.#options = options
  }

  /** Before a model is loaded or a text is read for it: who can not pay for one token is refused. */
  check(): void {
    const least = tokensRead(1)
    this.#require(this.#options.bill.check(least), least)
  }

  async begin({ most }: Estimate): Promise<Grant> {
    this.#require(await this.#options.bill.cover(most), most, most.promptTokens)
    return { limit: most, isFinal: true }
  }

  extend(): Promise<Grant> {
    return Promise.reject(new Error('texts are granted once: this is a bug'))
  }

  cancelled(used: Consumption): void {
    this.#options.bill.stoppedAfter(used)
  }

  #require(cover: Cover, needed: Consumption, encodedTokens?: number): void {
    if (cover.isEnough) return
    const { bill, billingUrl } = this.#options
    const { pricing } = bill
    const neededNanoUsd = bill.priceOf(needed)
    throw insufficientBalance({
      neededNanoUsd,
      availableNanoUsd: cover.availableNanoUsd,
      pricing,
      billingUrl,
      encodedTokens,
    })
  }
}

/** Vectors and scores are priced by what is read for them alone. */
export function tokensRead(promptTokens: number): Consumption {
  return { ...nothingConsumed, promptTokens }
}
