/**
 * Batching policy of rows. Pure. The account and request whose turn it is begin a batch. Others join in their turn if
 * their length fits, because shorter rows are padded. A request that was often passed over for its length begins the
 * batch at its account's next turn, so none starves.
 */
import type { PartsTurns } from '../../shared/waiting-parts.ts'

/** Text or pair of texts, as tokens. */
export interface Row {
  readonly ids: Int32Array
  /** Text of the pair, 0 or 1, that each token belongs to. Undefined for models without type ids. */
  readonly typeIds: Uint8Array | undefined
}

export interface BatchLimits {
  /** Most tokens of a batch: rows times the longest row. A single row may exceed it. */
  readonly tokens: number
  readonly rows: number
  /**
   * Limit on rows times the square of the longest row: attention compares every token with every other. A single row
   * may exceed it.
   */
  readonly squares?: number
}

/** Share of a batch's own tokens that padding may add. */
const paddingLimit = 0.25
/** Times that a request is passed over for its length before it becomes urgent. */
const passedOverLimit = 4
/** Most requests considered for one batch: the search must not cost more than the padding it saves. */
const lookedAtLimit = 512

/** Takes the rows of a batch. The waiting rows of each request must be sorted, longest first. */
export function takeRows(turns: PartsTurns<Row>, limits: BatchLimits): void {
  let count = 0
  let longest = 0
  let ownTokens = 0
  let looked = 0
  const { tokens, rows, squares = Number.POSITIVE_INFINITY } = limits
  const isWithin = (length: number) => {
    const padded = length * (count + 1)
    return padded <= tokens && padded * length <= squares
  }
  const fits = (length: number) => {
    if (count === 0) return true
    const columns = Math.max(longest, length)
    return isWithin(columns) && columns * (count + 1) <= (ownTokens + length) * (1 + paddingLimit)
  }
  // Tokens by which an account with an urgent row may lead, a full batch. It must not overtake accounts that were
  // served much less.
  const urgency = { isUrgent: ({ passedOver }: { passedOver: number }) => passedOver >= passedOverLimit, lead: tokens }
  for (const { request, take } of turns(urgency)) {
    const isFull = count > 0 && !isWithin(longest)
    if (isFull || count === rows || looked++ === lookedAtLimit) return
    const found = request.waiting.findIndex(({ part }) => fits(part.ids.length))
    const length = request.waiting[found]?.part.ids.length
    if (length === undefined) {
      request.passedOver++
      continue
    }
    take(found)
    if (count === 0) request.passedOver = 0
    count++
    longest = Math.max(longest, length)
    ownTokens += length
  }
}
