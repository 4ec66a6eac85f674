import type { Command } from 'commander'
import { dollars } from '../core/money.ts'
import { type Columns, formatTable, secondOf } from './format.ts'
import type { Io } from './io.ts'
import { limitOption, newCommand, optionText } from './options.ts'
import { type OperationAnswer, performAndPrint } from './perform.ts'

export function auditCommand(io: Io): Command {
  const command = newCommand('audit', 'show who changed what about accounts, keys and money, the latest first')
    .option('--account <account>', 'only what was done to this account: mail address or id')
    .option('--actor <text>', 'only what was done by these: a part of the column WHO')
    .option('--action <text>', 'only this: a part of the column WHAT')
    .option('--limit <n>', 'how many lines', '50')
    .option('--before <id>', 'only those before this one')
  return command.action(() => {
    const text = (name: string) => optionText(command, name)
    const filter = { account: text('account'), actor: text('actor'), action: text('action') }
    const input = { ...filter, limit: limitOption(command), before: text('before') }
    return performAndPrint(command, io, 'audit-list', input, (rows) => formatTable(rows, columns))
  })
}

const columns: Columns<OperationAnswer<'audit-list'>[number]> = {
  TIME: ({ createdMs }) => secondOf(createdMs),
  WHO: ({ actor }) => actor,
  WHAT: ({ action }) => action,
  ACCOUNT: ({ accountId }) => accountId ?? '-',
  DETAILS: ({ details }) =>
    Object.entries(details)
      .map(([name, value]) => detailText(name, value))
      .join(' '),
}

function detailText(name: string, value: unknown): string {
  if (name.endsWith('NanoUsd') && typeof value === 'number')
    return `${name.slice(0, -'NanoUsd'.length)}=${dollars(value)}`
  return `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`
}
