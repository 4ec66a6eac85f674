/** Sums of usage as JSON and as CSV. */
import { nanoToDecimal } from '../core/money.ts'
import type { UsageTotals } from '../core/usage.ts'

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
  group: '',
  label: undefined,
  requests: 0,
  promptTokens: 0,
  cachedTokens: 0,
  completionTokens: 0,
  reasoningTokens: 0,
  characters: 0,
  audioMs: 0,
  costNanoUsd: 0,
  chargedNanoUsd: 0,
}

function toRow(by: string, sum: UsageTotals): Row {
  return {
    [by]: sum.group,
    name: sum.label ?? null,
    requests: sum.requests,
    prompt_tokens: sum.promptTokens,
    cached_tokens: sum.cachedTokens,
    completion_tokens: sum.completionTokens,
    reasoning_tokens: sum.reasoningTokens,
    characters: sum.characters,
    audio_seconds: sum.audioMs / 1000,
    cost_usd: nanoToDecimal(sum.costNanoUsd),
    charged_usd: nanoToDecimal(sum.chargedNanoUsd),
  }
}

function toCell(value: string | number): string {
  const text = typeof value === 'string' && /^[=+\-@\t\r]/.test(value) ? `'${value}` : String(value)
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
