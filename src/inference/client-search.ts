/** Searches that a client asks for itself, without a model's work. They are paid like those of models. */
import { type Consumption, nothingConsumed } from '../core/usage.ts'
import type { SearchOutcome, SearchQuery, SearchService } from '../core/web-search.ts'
import type { Bill } from './bill.ts'
import { insufficientBalance } from './insufficient-balance.ts'
import type { Payment } from './run-work.ts'

interface ClientSearch {
  readonly queries: readonly SearchQuery[]
  readonly bill: Bill
  readonly payment: Pick<Payment, 'request' | 'signal' | 'billingUrl'>
  readonly service: SearchService
}

/**
 * Searches for all queries at once and charges for those with an answer. Throws ApiError 402, and the signal's reason
 * once the client has disconnected: it pays for the answers that came until then.
 */
export async function searchForClient(options: ClientSearch): Promise<SearchOutcome[]> {
  const { queries, bill, payment, service } = options
  const { owner } = payment.request
  let answered = 0
  try {
    await holdFor(bill, { ...nothingConsumed, searches: queries.length }, payment.billingUrl)
    bill.started()
    const search = async (query: SearchQuery) => {
      const outcome = await service.search(query, owner, payment.signal)
      if (outcome.type === 'results') bill.stoppedAfter({ ...nothingConsumed, searches: ++answered })
      return outcome
    }
    const outcomes = await allOf(queries.map(search))
    await bill.finish({ ...nothingConsumed, ...(answered > 0 && { searches: answered }) }, 'stop')
    return outcomes
  } finally {
    await bill.close()
  }
}

async function holdFor(bill: Bill, most: Consumption, billingUrl: string): Promise<void> {
  const cover = await bill.cover(most)
  if (cover.isEnough) return
  const { pricing } = bill
  throw insufficientBalance({ ...cover, neededNanoUsd: bill.priceOf(most), pricing, billingUrl })
}

/** Returns all results once all have ended. Throws the first error. */
async function allOf<Result>(works: readonly Promise<Result>[]): Promise<Result[]> {
  await Promise.allSettled(works)
  return await Promise.all(works)
}
