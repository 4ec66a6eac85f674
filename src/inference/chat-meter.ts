import { affordableOutputTokens } from '../billing/cost.ts'
import { type Consumption, nothingConsumed } from '../core/usage.ts'
import type { EngineMeter } from '../engines/meter.ts'
import type { Estimate, Grant } from '../engines/protocol.ts'
import { insufficientBalance } from './insufficient-balance.ts'
import type { Bill, Cover } from './metered.ts'

export interface ChatMeterOptions {
  readonly bill: Bill
  readonly choices: number
  /** The request says itself how long its answer may be; it then pays for all of that ahead. */
  readonly isLimited: boolean
  /** Output tokens of a choice that are held at a time for answers without a limit. */
  readonly sliceTokens: number
  readonly billingUrl: string
}

/** Holds money for a chat as the engine asks for tokens. */
export class ChatMeter implements EngineMeter {
  readonly #options: ChatMeterOptions
  #promptTokens = 0
  /** Maximum of each choice. */
  #outputTokens = 0
  #grantedTokens = 0
  /** The last grant was cut to what the account could pay for. */
  isOutOfBalance = false

  constructor(options: ChatMeterOptions) {
    this.#options = options
  }

  /** Before a model is loaded or a prompt is read for it: who can not pay for one token each way is refused. */
  check(): void {
    const least = this.#most(1, 1)
    this.#require(this.#options.bill.check(least), least)
  }

  async begin({ least: { promptTokens }, most: { completionTokens } }: Estimate): Promise<Grant> {
    const { bill, choices, isLimited, sliceTokens } = this.#options
    const outputTokens = completionTokens / choices
    this.#promptTokens = promptTokens
    this.#outputTokens = outputTokens
    const tokens = isLimited || !bill.isMetered ? outputTokens : Math.min(sliceTokens, outputTokens)
    const most = this.#most(promptTokens, tokens)
    this.#require(await bill.cover(most), most, promptTokens)
    return this.#grant(tokens)
  }

  /** Another slice; what the account can still pay for, as the last grant, when that is less. */
  async extend(): Promise<Grant> {
    const { bill, choices, sliceTokens } = this.#options
    const promptTokens = this.#promptTokens
    const wanted = Math.min(this.#grantedTokens + sliceTokens, this.#outputTokens)
    const cover = await bill.cover(this.#most(promptTokens, wanted))
    if (cover.isEnough) return this.#grant(wanted)
    this.isOutOfBalance = true
    const affordable = affordableOutputTokens(bill.pricing, promptTokens, cover.availableNanoUsd)
    const rest = Math.max(this.#grantedTokens, Math.min(Math.floor(affordable / choices), wanted))
    const isCovered = rest > this.#grantedTokens && (await bill.cover(this.#most(promptTokens, rest))).isEnough
    if (isCovered) this.#grantedTokens = rest
    return { limit: this.#most(promptTokens, this.#grantedTokens), isFinal: true }
  }

  cancelled(used: Consumption): void {
    this.#options.bill.stoppedAfter(used)
  }

  #grant(tokens: number): Grant {
    this.#grantedTokens = tokens
    return { limit: this.#most(this.#promptTokens, tokens), isFinal: tokens >= this.#outputTokens }
  }

  #most(promptTokens: number, tokensPerChoice: number): Consumption {
    return { ...nothingConsumed, promptTokens, completionTokens: tokensPerChoice * this.#options.choices }
  }

  #require(cover: Cover, most: Consumption, promptTokens?: number): void {
    if (cover.isEnough) return
    const { bill, billingUrl, choices } = this.#options
    const neededNanoUsd = bill.priceOf(most)
    const { availableNanoUsd } = cover
    throw insufficientBalance({
      neededNanoUsd,
      availableNanoUsd,
      pricing: bill.pricing,
      billingUrl,
      promptTokens,
      choices,
    })
  }
}
