import type { Command } from 'commander'
import { type OperationAnswer, perform } from './call-operation.ts'
import { dollars, formatTable, secondOf } from './format.ts'
import type { Io } from './io.ts'
import { newCommand, optionText, wholeNumberOption } from './options.ts'
import { printAnswer } from './print-answer.ts'

type AuditRow = OperationAnswer<'audit-list'>[number]

export function auditCommand(io: Io): Command {
  const command = newCommand('audit', 'show who changed what about accounts, keys and money, the latest first')
    .option('--account <account>', 'only what was done to this account: mail address or id')
    .option('--limit <n>', 'how many lines', '50')
  return command.action(async () => {
    const rows = await perform(command, io, 'audit-list', {
      account: optionText(command, 'account'),
      limit: wholeNumberOption(command, 'limit') ?? Number.NaN,
    })
    printAnswer(command, io, rows, auditTable)
  })
}

function auditTable(rows: readonly AuditRow[]): string {
  const cells = rows.map(({ createdMs, actor, action, accountId, details }) => [
    secondOf(createdMs),
    actor,
    action,
    accountId ?? '-',
    Object.entries(details)
      .map(([name, value]) => detailText(name, value))
      .join(' '),
  ])
  return formatTable(['TIME', 'WHO', 'WHAT', 'ACCOUNT', 'DETAILS'], cells)
}

function detailText(name: string, value: unknown): string {
  if (name.endsWith('NanoUsd') && typeof value === 'number')
    return `${name.slice(0, -'NanoUsd'.length)}=${dollars(value)}`
  return `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`
}
