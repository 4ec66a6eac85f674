import { dayMs } from '../core/durations.ts'
/** Sources of a usage report: daily sums for whole days, single requests for the rest of its time. */

export interface UsageRange {
  /** Start, inclusive, milliseconds UTC. */
  readonly fromMs?: number | undefined
  /** End, exclusive, milliseconds UTC. */
  readonly toMs?: number | undefined
  /** Account. Undefined covers all. */
  readonly accountId?: string | undefined
  /** Model. Undefined covers all. */
  readonly model?: string | undefined
  /** Key. Undefined covers all. */
  readonly keyId?: string | undefined
  /** Member who holds a team's keys. Undefined covers all. */
  readonly holderId?: string | undefined
}

const sums = `prompt_tokens, cached_tokens, completion_tokens, reasoning_tokens, characters, audio_ms, images, cost,
  charged`
const estimates = 'estimated_requests, estimated_cost'
const ofDays = (day: string) =>
  `SELECT account_id, ${day} AS day, key_id, model, requests, ${sums}, ${estimates} FROM usage_days`
const ofRequests = `SELECT account_id, created / ${dayMs} AS day, key_id, model, 1 AS requests, ${sums},
  estimated AS estimated_requests, estimated * cost AS estimated_cost FROM usage`

/**
 * Returns SQL whose rows add up to the usage in the range. Its parameters are those of the range, `:firstDay` and
 * `:endDay`.
 */
export function usageRows({ fromMs, toMs, accountId, model, keyId, holderId }: UsageRange): string {
  const ofOne = [
    ...(accountId === undefined ? [] : ['account_id = :accountId']),
    ...(model === undefined ? [] : ['model = :model']),
    ...(keyId === undefined ? [] : ['key_id = :keyId']),
    ...(holderId === undefined ? [] : ['key_id IN (SELECT id FROM api_keys WHERE holder_id = :holderId)']),
  ]
  // Only conditions that are needed: one on an absent parameter would make SQLite read the whole table.
  const from = fromMs === undefined ? [] : ['created >= :fromMs']
  const to = toMs === undefined ? [] : ['created < :toMs']
  const { firstDay, endDay } = wholeDays({ fromMs, toMs })
  if (firstDay !== undefined && endDay !== undefined && firstDay >= endDay) {
    return selected(ofRequests, [...ofOne, ...from, ...to])
  }
  const day = accountId === undefined && isLong({ fromMs, toMs }) ? '+day' : 'day'
  const days = [
    ...(firstDay === undefined ? [] : [`${day} >= :firstDay`]),
    ...(endDay === undefined ? [] : [`${day} < :endDay`]),
  ]
  const parts = [selected(ofDays(day), [...ofOne, ...days])]
  if (isWithinDay(fromMs)) parts.push(selected(ofRequests, [...ofOne, ...from, `created < :firstDay * ${dayMs}`]))
  if (isWithinDay(toMs)) parts.push(selected(ofRequests, [...ofOne, `created >= :endDay * ${dayMs}`, ...to]))
  return parts.join(' UNION ALL ')
}

const longDays = 45

/**
 * Returns whether a range over all accounts is so long that reading the whole table is faster than the index. A row
 * found by the index takes eight times as long as the next row in order.
 */
function isLong({ fromMs = Number.NEGATIVE_INFINITY, toMs = Date.now() }: UsageRange): boolean {
  return toMs - fromMs > longDays * dayMs
}

/** Returns the whole days in the range, as days since 1970: from `firstDay` up to, but without, `endDay`. */
export function wholeDays({ fromMs, toMs }: Pick<UsageRange, 'fromMs' | 'toMs'>) {
  return {
    firstDay: fromMs === undefined ? undefined : Math.ceil(fromMs / dayMs),
    endDay: toMs === undefined ? undefined : Math.floor(toMs / dayMs),
  }
}

function isWithinDay(timeMs: number | undefined): boolean {
  return timeMs !== undefined && timeMs % dayMs !== 0
}

function selected(select: string, conditions: readonly string[]): string {
  return conditions.length === 0 ? select : `${select} WHERE ${conditions.join(' AND ')}`
}
