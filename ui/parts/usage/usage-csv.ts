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
  images: ({ images }) => images,
  cost_usd: ({ costUsd }) => costUsd,
  charged_usd: ({ chargedUsd }) => chargedUsd,
  estimated_requests: ({ estimatedRequests }) => estimatedRequests,
  estimated_cost_usd: ({ estimatedCostUsd }) => estimatedCostUsd,
}

/** Returns the rows of a report as RFC 4180, with all digits. */
export function usageCsv(by: Grouping, { rows }: Report): string {
  const hasNames = by !== 'day' && by !== 'model'
  const lines = [
    [by, ...(hasNames ? ['name'] : []), ...Object.keys(columns)],
    ...rows.map(({ groups, ...sums }) => {
      const names = groups.slice(-1).flatMap((group) => [...(hasNames ? [group.id] : []), nameOf(group)])
      return [...names, ...Object.values(columns).map((column) => String(column(sums)))]
    }),
  ]
  return lines.map((cells) => `${cells.map(csvCell).join(',')}\r\n`).join('')
}

/**
 * Returns a CSV cell as the server writes it in `src/wire/csv.ts`, which pages cannot import. A test compares the
 * two.
 */
export function csvCell(text: string): string {
  const safe = /^-?\d+(\.\d+)?$/.test(text) ? text : text.replace(formula, "$1'")
  return /[",;|\t\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** Characters that begin a formula in a spreadsheet, in all widths. Invisible characters may precede them. */
const signs =
  '=+\\-@\uff1d\uff0b\uff0d\uff20\ufe66\ufe62\ufe63\ufe6b\u207c\u207a\u207b\u208c\u208a\u208b\u2212\ufb29\u2a75\u2a76'
const separators = ';|\\t\\r\\n\uff1b\u037e\ufe14\ufe54\uff5c\uff0c\ufe10\ufe50'
const skipped = '[\\s"\\p{Default_Ignorable_Code_Point}\\p{Cc}\\p{Cf}\\u2800]*'
const formula = new RegExp(`(^|[${separators}])(?=${skipped}[${signs}]|[\\t\\r])`, 'gu')
