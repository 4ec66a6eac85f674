import { affordable } from '../billing/cost.ts'
import type { Pricing } from '../core/model.ts'
import { audioMsOf, charactersOf } from '../core/speech.ts'
import { type Consumption, type Dimension, nothingConsumed, plusUse } from '../core/usage.ts'
import { kindsOfWork, type Work, type WorkEvent } from '../core/work.ts'
import type { Estimate, Grant } from '../engines/protocol/request-events.ts'
import type { EngineMeter } from '../engines/protocol/work-engines.ts'
import type { Bill, Cover, Lack } from './bill.ts'
import { insufficientBalance } from './insufficient-balance.ts'

/** Dimension of use that grows while the work goes on */
interface Slices {
  readonly dimension: Dimension
  /** Amount granted per part at a time. Infinity if the request itself limits its answer. */
  readonly size: number
  /** Number of answers that grow in parallel */
  readonly parts: number
}

/** Returns the slices in which a request is paid; undefined if it is paid in advance as a whole. */
export function slicesOf({ kind, request }: Work, sliceTokens: number): Slices | undefined {
  const { paid } = kindsOfWork[kind]
  if (typeof paid === 'string') return undefined
  const isLimited = 'maxTokens' in request && request.maxTokens !== undefined
  const parts = 'choices' in request ? request.choices : 1
  return { dimension: paid.slices, size: isLimited ? Number.POSITIVE_INFINITY : sliceTokens, parts }
}

/** Returns the smallest possible use of a request that is paid in these slices. */
export function leastUse(slices: Slices | undefined): Consumption {
  const least = { ...nothingConsumed, promptTokens: 1, characters: 1, audioMs: 1, images: 1 }
  return slices === undefined ? least : { ...least, [slices.dimension]: slices.parts }
}

/** Returns the consumption that a request states: audio length, characters or pictures. */
export function statedUse({ kind, request }: Work): Partial<Consumption> {
  if (kind === 'transcribe') return { audioMs: audioMsOf(request.audio) }
  if (kind === 'draw') return { images: request.count }
  return kind === 'speak' ? { characters: charactersOf(request.input) } : {}
}

/** Returns the next limit: a slice more for each part, at most everything. */
function nextLimit({ most }: Estimate, slices: Slices | undefined, granted: number): Consumption {
  if (slices === undefined) return most
  const { dimension, size, parts } = slices
  return { ...most, [dimension]: Math.min(granted + size * parts, most[dimension]) }
}

/** Returns the finish of an answer that ends for lack of money. */
function cutBy(cover: Cover): WorkMeter['cutBy'] {
  return !cover.isEnough && cover.budget !== undefined ? 'out_of_budget' : 'out_of_balance'
}

/** Returns as much of `wanted` as the money pays for, in equal amounts for each part. */
function payable(pricing: Pricing, wanted: Consumption, { dimension, parts }: Slices, nanoUsd: number): Consumption {
  const each = Math.floor(affordable(pricing, wanted, dimension, nanoUsd) / parts)
  return { ...wanted, [dimension]: Math.min(each * parts, wanted[dimension]) }
}

interface WorkMeterOptions {
  readonly bill: Bill
  readonly slices: Slices | undefined
  readonly billingUrl: string
  /** Holds the most tokens that the request may use against its limits per minute. Throws ApiError 429. */
  readonly holdTokens?: ((tokens: number) => void) | undefined
  /** See `EngineMeter.heard`. */
  readonly onEvent?: ((event: WorkEvent) => void) | undefined
}

/** Holds money for a request of any kind whenever the engine asks for a grant. */
export class WorkMeter implements EngineMeter {
  readonly #options: WorkMeterOptions
  /** Estimate and limit of the request's passes so far together. */
  #estimate: Estimate = { least: nothingConsumed, most: nothingConsumed }
  #limit = nothingConsumed
  /** Use of ended passes. */
  #before: Consumption = nothingConsumed
  /** True if the use of an ended pass was estimated. */
  isEstimated = false
  /** Reason why the last grant was cut to the affordable amount, or to a share of it */
  cutBy: 'out_of_balance' | 'out_of_budget' | undefined

  constructor(options: WorkMeterOptions) {
    this.#options = options
  }

  /**
   * Refuses accounts that cannot pay for the smallest possible use, or for the use that the request states, before a
   * model is loaded.
   */
  check(stated: Partial<Consumption> = {}): void {
    const { bill, slices } = this.#options
    const least = { ...leastUse(slices), ...stated }
    this.#require(bill.check(least), least, Object.keys(stated).length === 0 ? undefined : { least, most: least })
  }

  /**
   * Records the use of a pass that has ended, after which another one may begin. It is charged if the client disconnects.
   */
  passed(used: Consumption, isEstimated = false): void {
    this.#before = plusUse(this.#before, used)
    this.isEstimated ||= isEstimated
    this.#options.bill.stoppedAfter(this.#before, this.isEstimated)
  }

  /** Use of ended passes. */
  get before(): Consumption {
    return this.#before
  }

  /** Holds the price of a search beside everything before. Returns false if the account cannot pay for it. */
  async coverSearch(): Promise<boolean> {
    const cover = await this.#options.bill.cover(plusUse(this.#before, { ...nothingConsumed, searches: 1 }))
    this.cutBy = cover.isEnough ? undefined : cutBy(cover)
    return cover.isEnough
  }

  async begin(estimate: Estimate): Promise<Grant> {
    const { bill, slices, holdTokens } = this.#options
    const least = plusUse(this.#before, estimate.least)
    const most = plusUse(this.#before, estimate.most)
    this.#estimate = { ...estimate, least, most }
    holdTokens?.(most.promptTokens + most.completionTokens)
    this.cutBy = undefined
    const begun = slices === undefined ? 0 : this.#before[slices.dimension]
    const limit = nextLimit(this.#estimate, bill.isHeld ? slices : undefined, begun)
    const cover = await bill.cover(limit)
    if (!cover.isEnough && slices !== undefined && this.#before !== nothingConsumed) {
      if (await this.#coverRest(limit, slices, cover, begun)) return this.#lastGrant()
      this.cutBy = cutBy(cover)
    }
    this.#require(cover, limit, this.#estimate)
    return estimate.isOnlyGrant === true ? await this.#grantOnce(limit) : this.#grant(limit)
  }

  /**
   * Grants the already held first slice, or as much as half of the account's money pays for if that is more, at most
   * everything. An answer without a limit thus does not block the account's other requests.
   */
  async #grantOnce(slice: Consumption): Promise<Grant> {
    const { bill, slices } = this.#options
    const wantsMore = slices !== undefined && this.#wantsMoreThan(slice)
    this.#limit = wantsMore ? await this.#holdHalf(slice, slices) : slice
    this.cutBy = this.#wantsMoreThan(this.#limit) ? cutBy(bill.left()) : undefined
    return this.#lastGrant()
  }

  async #holdHalf(slice: Consumption, slices: Slices): Promise<Consumption> {
    const { bill } = this.#options
    const sliceNanoUsd = bill.priceOf(slice)
    const left = bill.left()
    let moneyNanoUsd = (left.isEnough ? Number.POSITIVE_INFINITY : left.availableNanoUsd) + sliceNanoUsd
    while (moneyNanoUsd >= sliceNanoUsd) {
      const heldNanoUsd = Math.max(sliceNanoUsd, Math.floor(moneyNanoUsd / 2))
      const limit = payable(bill.pricing, this.#estimate.most, slices, heldNanoUsd)
      if (limit[slices.dimension] <= slice[slices.dimension]) break
      const cover = await bill.cover(limit)
      if (cover.isEnough) return limit
      moneyNanoUsd = cover.availableNanoUsd // Another request has held money meanwhile.
    }
    return slice
  }

  /** Grants another slice; if the account cannot pay for it, the affordable rest as the last grant. */
  async extend(): Promise<Grant> {
    const { bill, slices } = this.#options
    if (slices === undefined) throw new Error('everything was granted: this is a bug')
    const { dimension } = slices
    const granted = this.#limit[dimension]
    const wanted = nextLimit(this.#estimate, slices, granted)
    const cover = await bill.cover(wanted)
    if (cover.isEnough) return this.#grant(wanted)
    this.cutBy = cutBy(cover)
    await this.#coverRest(wanted, slices, cover, granted)
    return this.#lastGrant()
  }

  /** Holds money for as much of `wanted` as the account can pay for, if that is more than was granted before. */
  async #coverRest(wanted: Consumption, slices: Slices, lack: Lack, granted: number): Promise<boolean> {
    const { bill } = this.#options
    const rest = payable(bill.pricing, wanted, slices, lack.availableNanoUsd)
    if (rest[slices.dimension] <= granted || !(await bill.cover(rest)).isEnough) return false
    this.#limit = rest
    this.cutBy = cutBy(lack)
    return true
  }

  cancelled(used: Consumption, isEstimated: boolean): void {
    this.#options.bill.stoppedAfter(plusUse(this.#before, used), isEstimated || this.isEstimated)
  }

  heard(event: WorkEvent): void {
    this.#options.onEvent?.(event)
  }

  #grant(limit: Consumption): Grant {
    this.#limit = limit
    return { ...this.#lastGrant(), isFinal: !this.#wantsMoreThan(limit) }
  }

  /** Returns the limit of the running pass, which knows nothing of those before it. */
  #lastGrant(): Grant {
    const { completionTokens, promptTokens } = this.#before
    const limit = {
      ...this.#limit,
      promptTokens: this.#limit.promptTokens - promptTokens,
      completionTokens: this.#limit.completionTokens - completionTokens,
    }
    return { limit, isFinal: true }
  }

  #wantsMoreThan(limit: Consumption): boolean {
    const { slices } = this.#options
    return slices !== undefined && limit[slices.dimension] < this.#estimate.most[slices.dimension]
  }

  #require(cover: Cover, needed: Consumption, estimate?: Estimate): void {
    if (cover.isEnough) return
    const { bill, slices, billingUrl } = this.#options
    const neededNanoUsd = bill.priceOf(needed)
    const { pricing } = bill
    throw insufficientBalance({ ...cover, neededNanoUsd, pricing, billingUrl, estimate, slices })
  }
}
