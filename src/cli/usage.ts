import type { Command } from 'commander'
import type { UsageTotals } from '../core/usage.ts'
import type { AsJson } from '../operator/as-json.ts'
import type { OperationResult } from '../operator/operations.ts'
import { toUsageCsv } from '../wire/usage-report.ts'
import { callOperation, operationTarget } from './call-operation.ts'
import type { Io } from './io.ts'
import { dollars, printMoneyJson } from './money.ts'
import { newCommand, optionText, wantsJson } from './options.ts'
import { formatTable } from './table.ts'

type Totals = AsJson<OperationResult<'usage'>>[number]

export function usageCommand(io: Io): Command {
  const command = newCommand('usage', 'show what was used and what it cost')
    .option('--by <day|model|key|account>', 'what is summed up', 'day')
    .option('--from <day>', 'first day, such as 2026-01-01 (UTC)')
    .option('--to <day>', 'last day')
    .option('--account <account>', 'only of this account: mail address or id')
    .option('--csv', 'print CSV instead of a table')
  return command.action(async () => {
    const by = optionText(command, 'by') ?? ''
    const rows = await callOperation(operationTarget(command, io), 'usage', {
      by,
      from: optionText(command, 'from'),
      to: optionText(command, 'to'),
      account: optionText(command, 'account'),
    })
    if (wantsJson(command)) printMoneyJson(io, rows)
    else if (command.getOptionValue('csv') === true) io.out(toUsageCsv(by, rows.map(named)))
    else io.out(usageTable(by, rows))
  })
}

function usageTable(by: string, rows: readonly Totals[]): string {
  const cells = rows.map((row) => [
    row.group,
    row.label ?? '-',
    ...[row.requests, row.promptTokens, row.cachedTokens, row.completionTokens].map(String),
    dollars(row.costNanoUsd),
    dollars(row.chargedNanoUsd),
  ])
  const head = [by.toUpperCase(), 'NAME', 'REQUESTS', 'INPUT', 'CACHED', 'OUTPUT', 'COST', 'CHARGED']
  // Days and models have no other name.
  const isNamed = rows.some(({ label }) => label !== null)
  return formatTable(isNamed ? head : without(head), isNamed ? cells : cells.map(without))
}

function without(cells: readonly string[]): string[] {
  return cells.filter((_, column) => column !== 1)
}

function named(row: Totals): UsageTotals {
  return { ...row, label: row.label ?? undefined }
}
