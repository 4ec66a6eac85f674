import type { Command } from 'commander'
import { dollars } from '../core/money.ts'
import { csvLine } from '../wire/csv.ts'
import { type Columns, count, formatTable, secondOf } from './format.ts'
import { CommandError, type Io, printAnswer, UsageError } from './io.ts'
import { limitOption, newCommand, optionText } from './options.ts'
import { type OperationAnswer, type OperationTarget, operationTarget, perform, performAndPrint } from './perform.ts'

export function auditCommand(io: Io): Command {
  const command = newCommand('audit', 'show who changed what about accounts, keys and money, the latest first')
    .option('--account <account>', 'only what was done to this account: mail address or id')
    .option('--actor <text>', 'only what was done by these: a part of the column WHO')
    .option('--action <text>', 'only this: a part of the column WHAT')
    .option('--limit <n>', 'how many lines', '50')
    .option('--before <id>', 'only those before this one')
  command.addCommand(verifyCommand(io)).addCommand(exportCommand(io))
  return command.action(() => {
    const text = (name: string) => optionText(command, name)
    const filter = { account: text('account'), actor: text('actor'), action: text('action') }
    const input = { ...filter, limit: limitOption(command), before: text('before') }
    return performAndPrint(command, io, 'audit-list', input, (rows) => formatTable(rows, columns))
  })
}

function verifyCommand(io: Io): Command {
  const command = newCommand('verify', 'check that no row was changed, added or removed since it was written').option(
    '--known <id:chain>',
    'a row and its chain as printed before, by which rows removed from the end are found',
  )
  return command.action(async () => {
    const known = optionText(command, 'known')
    const target = operationTarget(command, io)
    const verdict = await perform(target, 'audit-verify', {})
    const problems = [...verdict.problems, ...(known === undefined ? [] : await knownProblems(target, known))]
    printAnswer(command, io, { ...verdict, problems }, () => {
      const latest = verdict.latest === null ? '' : `, the latest ${verdict.latest.id}:${verdict.latest.chain}`
      return [`${count(verdict.rows, 'row')}${latest}`, ...problems].map((line) => `${line}\n`).join('')
    })
    if (problems.length > 0) throw new CommandError(`${count(problems.length, 'problem')} found`)
  })
}

async function knownProblems(target: OperationTarget, known: string): Promise<string[]> {
  const [, id, chain] = /^(\d{1,15}):([0-9a-f]{64})$/.exec(known) ?? []
  if (id === undefined) throw new UsageError('--known takes what verify prints: a number, a colon and 64 digits')
  const [row] = await perform(target, 'audit-export', { afterId: Number(id) - 1, limit: 1 })
  const isThere = row?.id === Number(id) && row.chain === chain
  return isThere ? [] : [`audit row ${id} is not the one that was known: rows were changed or removed`]
}

const formats = ['jsonl', 'csv'] as const

function exportCommand(io: Io): Command {
  const command = newCommand('export', 'print the rows with their chain, the oldest first')
    .option('--since <time>', 'only those since this time, such as 2026-11-01 (UTC)')
    .option('--format <format>', formats.join(' or '), 'jsonl')
  return command.action(async () => {
    const format = formats.find((name) => name === optionText(command, 'format'))
    if (format === undefined) throw new UsageError(`--format is ${formats.join(' or ')}`)
    const since = optionText(command, 'since')
    const sinceMs = since === undefined ? undefined : Date.parse(since)
    if (Number.isNaN(sinceMs)) throw new UsageError('--since takes a time such as 2026-11-01 or 2026-11-01T12:00:00Z')
    const target = operationTarget(command, io)
    if (format === 'csv') io.out(csvLine(exportedColumns))
    let afterId: number | undefined
    for (;;) {
      const rows = await perform(target, 'audit-export', { sinceMs, afterId, limit: pageRows })
      io.out(rows.map((row) => (format === 'csv' ? csvLine(cellsOf(row)) : `${JSON.stringify(row)}\n`)).join(''))
      if (rows.length < pageRows) return
      afterId = rows.at(-1)?.id
    }
  })
}

const pageRows = 10_000
const exportedColumns = [
  'id',
  'createdMs',
  'actor',
  'action',
  'accountId',
  'details',
  'salt',
  'digest',
  'chain',
] as const

function cellsOf(row: OperationAnswer<'audit-export'>[number]) {
  return exportedColumns.map((name) => row[name])
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
