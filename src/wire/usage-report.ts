/** Sums of usage as JSON and as CSV. */
import { nanoToDecimal } from '../core/money.ts'
import { type Consumption, nothingConsumed, type UsageTotals } from '../core/usage.ts'

type Row = Readonly<Record<string, string | number | null>>

/** `by` is the name of the column that tells the rows apart. */
export function toUsageReport(by: string, sums: readonly UsageTotals[]): object {
  return { object: 'list', by, data: sums.map((sum) => toRow(by, sum)) }
}

/** RFC 4180, with a header line. Text that a spreadsheet would take for a formula gets an apostrophe in front. */
export function toUsageCsv(by: string, sums: readonly UsageTotals[]): string {
  const rows = sums.map((sum) => toRow(by, sum))
  const columns = Object.keys(toRow(by, nothing))
  const lines = [columns, ...rows.map((row) => columns.map((column) => toCell(row[column] ?? '')))]
  return lines.map((cells) => `${cells.join(',')}\r\n`).join('')
}

const nothing: UsageTotals = {
  ...nothingConsumed,
  group: '',
  label: undefined,
  requests: 0,
  costNanoUsd: 0,
  chargedNanoUsd: 0,
}

function toRow(by: string, sum: UsageTotals): Row {
  return {
    [by]: sum.group,
    name: sum.label ?? null,
    requests: sum.requests,
    ...toConsumed(sum, sum),
  }
}

/** What one request or several consumed, and what they cost. */
export function toConsumed(used: Consumption, cost: Pick<UsageTotals, 'costNanoUsd' | 'chargedNanoUsd'>) {
  return {
    prompt_tokens: used.promptTokens,
    cached_tokens: used.cachedTokens,
    completion_tokens: used.completionTokens,
    reasoning_tokens: used.reasoningTokens,
    characters: used.characters,
    audio_seconds: used.audioMs / 1000,
    cost_usd: nanoToDecimal(cost.costNanoUsd),
    charged_usd: nanoToDecimal(cost.chargedNanoUsd),
  }
}

function toCell(value: string | number): string {
  const text = typeof value === 'string' && /^[=+\-@\t\r]/.test(value) ? `'${value}` : String(value)
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
