/** Sums of usage as CSV, and the consumption of requests as JSON. */
import { nanoToDecimal } from '../core/money.ts'
import {
  type Consumption,
  type GroupedUsage,
  isNamed,
  type UsageGrouping,
  type UsageReport,
  type UsageTotals,
} from '../core/usage.ts'
import { csvLine } from './csv.ts'

/** Consumption of requests and its cost: exact decimal USD. */
export interface Consumed {
  readonly prompt_tokens: number
  readonly cached_tokens: number
  readonly completion_tokens: number
  readonly reasoning_tokens: number
  readonly characters: number
  readonly audio_seconds: number
  /** Generated pictures */
  readonly images: number
  readonly cost_usd: string
  readonly charged_usd: string
}

interface UsageSums extends Consumed {
  readonly requests: number
  /** Number of requests whose use was estimated, not counted */
  readonly estimated_requests: number
  /** Cost of the estimated requests, which is part of the whole cost */
  readonly estimated_cost_usd: string
}

/** Row with the requested groups. Keys, holders and accounts have their names too. */
type UsageReportRow = UsageSums &
  Readonly<Partial<Record<UsageGrouping, string> & Record<'key_name' | 'holder_name' | 'account_name', string | null>>>

/** Returns CSV by RFC 4180 with a header line. */
export function toUsageCsv(by: readonly UsageGrouping[], { rows, total }: UsageReport): string {
  const empty = { ...total, groups: by.map((name) => ({ by: name, id: '', label: null })) }
  const columns = Object.keys(toRow(empty))
  return csvLine(columns) + rows.map((row) => csvLine(Object.values(toRow(row)))).join('')
}

function toRow({ groups, ...sums }: GroupedUsage): UsageReportRow {
  const named = groups.map(({ by, id, label }) => {
    return { [by]: id, ...(isNamed(by) && { [`${by}_name`]: label }) }
  })
  return { ...Object.assign({}, ...named), ...toSums(sums) }
}

function toSums(sums: UsageTotals): UsageSums {
  return {
    requests: sums.requests,
    ...toConsumed(sums, sums),
    estimated_requests: sums.estimatedRequests,
    estimated_cost_usd: nanoToDecimal(sums.estimatedCostNanoUsd),
  }
}

/** Returns the consumption of one request or several, and its cost. */
export function toConsumed(used: Consumption, cost: Pick<UsageTotals, 'costNanoUsd' | 'chargedNanoUsd'>): Consumed {
  return {
    prompt_tokens: used.promptTokens,
    cached_tokens: used.cachedTokens,
    completion_tokens: used.completionTokens,
    reasoning_tokens: used.reasoningTokens,
    characters: used.characters,
    audio_seconds: used.audioMs / 1000,
    images: used.images,
    cost_usd: nanoToDecimal(cost.costNanoUsd),
    charged_usd: nanoToDecimal(cost.chargedNanoUsd),
  }
}
