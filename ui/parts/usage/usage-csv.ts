import { csvCell } from './csv-cell.ts'
import { type Grouping, nameOf, type Report, type Sums } from './measures.ts'

/** Columns of sums, named as the server names them elsewhere. */
const columns: Readonly<Record<string, (sums: Sums) => number | string>> = {
  requests: ({ requests }) => requests,
  prompt_tokens: ({ promptTokens }) => promptTokens,
  cached_tokens: ({ cachedTokens }) => cachedTokens,
  completion_tokens: ({ completionTokens }) => completionTokens,
  reasoning_tokens: ({ reasoningTokens }) => reasoningTokens,
  characters: ({ characters }) => characters,
  audio_seconds: ({ audioMs }) => audioMs / 1_000,
  cost_usd: ({ costUsd }) => costUsd,
  charged_usd: ({ chargedUsd }) => chargedUsd,
  estimated_requests: ({ estimatedRequests }) => estimatedRequests,
  estimated_cost_usd: ({ estimatedCostUsd }) => estimatedCostUsd,
}

/** Returns the rows of a report as RFC 4180, with all digits. */
export function usageCsv(by: Grouping, { rows }: Report): string {
  const hasNames = by === 'key' || by === 'account'
  const lines = [
    [by, ...(hasNames ? ['name'] : []), ...Object.keys(columns)],
    ...rows.map(({ groups, ...sums }) => {
      const names = groups.slice(-1).flatMap((group) => [...(hasNames ? [group.id] : []), nameOf(group)])
      return [...names, ...Object.values(columns).map((column) => String(column(sums)))]
    }),
  ]
  return lines.map((cells) => `${cells.map(csvCell).join(',')}\r\n`).join('')
}
