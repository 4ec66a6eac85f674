/** The usage of an account as the server sends it, for what is shown of all usage. */
import type { UsageReportBody, UsageSums } from '../../../src/wire/usage-report.ts'
import type { Report, Sums } from '../../parts/usage/measures.ts'
import type { UsageQuery } from '../../parts/usage/use-usage.ts'

export function usagePath({ by, fromMs = 0, toMs = 0, measure = 'cost', limit, model, key }: UsageQuery): string {
  const query = new URLSearchParams({ by: by.join(','), measure, from: timeText(fromMs), to: timeText(toMs) })
  if (limit !== undefined) query.set('limit', String(limit))
  if (model !== undefined) query.set('model', model)
  if (key !== undefined) query.set('key', key)
  return `/dashboard/api/usage?${query}`
}

export function timeText(timeMs: number): string {
  return new Date(timeMs).toISOString()
}

export function toReport({ by, data, total }: UsageReportBody): Report {
  const rows = data.map((row) => {
    const groups = by.map((name) => ({
      ...{ by: name, id: row[name] ?? '' },
      label: name === 'key' ? (row.key_name ?? null) : null,
    }))
    return { groups, ...toSums(row) }
  })
  return { rows, total: toSums(total) }
}

function toSums(sums: UsageSums): Sums {
  return {
    requests: sums.requests,
    promptTokens: sums.prompt_tokens,
    cachedTokens: sums.cached_tokens,
    completionTokens: sums.completion_tokens,
    reasoningTokens: sums.reasoning_tokens,
    characters: sums.characters,
    audioMs: Math.round(sums.audio_seconds * 1_000),
    costUsd: sums.cost_usd,
    chargedUsd: sums.charged_usd,
    estimatedRequests: sums.estimated_requests,
    estimatedCostUsd: sums.estimated_cost_usd,
  }
}
