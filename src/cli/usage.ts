import type { Command } from 'commander'
import { dayMs } from '../core/durations.ts'
import { dollars } from '../core/money.ts'
import type { GroupedUsage, UsageGrouping } from '../core/usage.ts'
import { toUsageCsv } from '../wire/usage-report.ts'
import { formatTable } from './format.ts'
import { type Io, printAnswer, UsageError } from './io.ts'
import { newCommand, optionText, wholeNumberOption } from './options.ts'
import { operationTarget, perform } from './perform.ts'

export function usageCommand(io: Io): Command {
  const command = newCommand('usage', 'show what was used and what it cost')
    .option(
      '--by <day|model|key|holder|account>',
      'what is summed up; holder: the person whose key it was; two with a comma between',
      'day',
    )
    .option('--from <day>', 'first day, such as 2026-01-01 (UTC)')
    .option('--to <day>', 'last day')
    .option('--account <account>', 'only of this account: mail address or id')
    .option('--limit <n>', 'only the n models, keys or accounts of the highest cost; the rest has one row')
    .option('--csv', 'print CSV instead of a table')
  return command.action(async () => {
    // The operation checks the values.
    const by = (optionText(command, 'by') ?? '').split(',') as UsageGrouping[]
    const lastMs = dayOption(command, 'to')
    const report = await perform(operationTarget(command, io), 'usage-report', {
      by,
      fromMs: dayOption(command, 'from'),
      toMs: lastMs === undefined ? undefined : lastMs + dayMs,
      account: optionText(command, 'account'),
      limit: wholeNumberOption(command, 'limit'),
    })
    const isCsv = command.getOptionValue('csv') === true
    printAnswer(command, io, report, () => (isCsv ? toUsageCsv(by, report) : usageTable(by, report.rows)))
  })
}

/** Returns the start of a day (UTC). Throws UsageError. */
function dayOption(command: Command, name: 'from' | 'to'): number | undefined {
  const text = optionText(command, name)
  if (text === undefined) return undefined
  const timeMs = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN
  // JavaScript would take 2026-02-31 for a day in March.
  if (Number.isNaN(timeMs) || new Date(timeMs).toISOString().slice(0, 10) !== text) {
    throw new UsageError(`--${name} must be a day such as 2026-01-31, not "${text}"`)
  }
  return timeMs
}

/** Returns a table without empty columns, except those of tokens. */
export function usageTable(by: readonly UsageGrouping[], rows: readonly GroupedUsage[]): string {
  const groups = by.flatMap((grouping, index): [string, (row: GroupedUsage) => string][] => {
    const head = grouping.toUpperCase()
    const id = (row: GroupedUsage) => row.groups[index]?.id || 'others'
    const label = (row: GroupedUsage) => row.groups[index]?.label ?? ''
    const isNamed = rows.some((row) => label(row) !== '')
    return isNamed
      ? [
          [head, id],
          [`${head} NAME`, label],
        ]
      : [[head, id]]
  })
  const audio = { 'AUDIO MINUTES': (row: GroupedUsage) => (row.audioMs / 60_000).toFixed(1) }
  const estimated = {
    ESTIMATED: (row: GroupedUsage) => `${row.estimatedRequests}, ${dollars(row.estimatedCostNanoUsd)}`,
  }
  const characters = { CHARACTERS: (row: GroupedUsage) => String(row.characters) }
  const images = { PICTURES: (row: GroupedUsage) => String(row.images) }
  return formatTable(rows, {
    ...Object.fromEntries(groups),
    REQUESTS: (row) => String(row.requests),
    INPUT: (row) => String(row.promptTokens),
    CACHED: (row) => String(row.cachedTokens),
    OUTPUT: (row) => String(row.completionTokens),
    ...(rows.some(({ audioMs }) => audioMs > 0) && audio),
    ...(rows.some((row) => row.characters > 0) && characters),
    ...(rows.some((row) => row.images > 0) && images),
    ...(rows.some(({ estimatedRequests }) => estimatedRequests > 0) && estimated),
    COST: (row) => dollars(row.costNanoUsd),
    CHARGED: (row) => dollars(row.chargedNanoUsd),
  })
}
