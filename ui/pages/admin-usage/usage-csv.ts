import { nameOf, type Report } from './measures.ts'

const columns = [
  ...(['requests', 'promptTokens', 'cachedTokens', 'completionTokens', 'reasoningTokens'] as const),
  ...(['characters', 'audioMs', 'costUsd', 'chargedUsd'] as const),
]

/** The rows of a report as RFC 4180, all digits. Text that a spreadsheet would take for a formula gets an apostrophe in front. */
export function usageCsv(group: string, { rows }: Report): string {
  const lines = [
    [group, 'name', ...columns],
    ...rows.map((row) => [row.groups.at(-1)?.id ?? '', nameOf(row), ...columns.map((name) => String(row[name]))]),
  ]
  return lines.map((cells) => `${cells.map(cellText).join(',')}\r\n`).join('')
}

function cellText(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) && !/^-?[\d.]+$/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
