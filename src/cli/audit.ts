import type { Command } from 'commander'
import { callOperation, operationTarget } from './call-operation.ts'
import type { Io } from './io.ts'
import { dollars, printMoneyJson } from './money.ts'
import { newCommand, optionText, wantsJson, wholeNumberOption } from './options.ts'
import { formatTable } from './table.ts'

export function auditCommand(io: Io): Command {
  const command = newCommand('audit', 'show who changed what about accounts, keys and money, the latest first')
    .option('--account <account>', 'only what was done to this account: mail address or id')
    .option('--limit <n>', 'how many lines', '50')
  return command.action(async () => {
    const rows = await callOperation(operationTarget(command, io), 'audit-list', {
      account: optionText(command, 'account'),
      limit: wholeNumberOption(command, 'limit') ?? Number.NaN,
    })
    if (wantsJson(command)) {
      printMoneyJson(io, rows)
      return
    }
    const cells = rows.map(({ createdMs, actor, action, accountId, details }) => [
      new Date(createdMs).toISOString().slice(0, 19).replace('T', ' '),
      actor,
      action,
      accountId ?? '-',
      Object.entries(details)
        .map(([name, value]) => detailText(name, value))
        .join(' '),
    ])
    io.out(formatTable(['TIME', 'WHO', 'WHAT', 'ACCOUNT', 'DETAILS'], cells))
  })
}

function detailText(name: string, value: unknown): string {
  if (name.endsWith('NanoUsd') && typeof value === 'number')
    return `${name.slice(0, -'NanoUsd'.length)}=${dollars(value)}`
  return `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`
}
