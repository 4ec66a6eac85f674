import { Command } from 'commander'
import { dollars } from '../core/money.ts'
import { type Columns, formatTable, secondOf } from './format.ts'
import { type Io, UsageError } from './io.ts'
import { limitOption, newCommand, optionText } from './options.ts'
import { type OperationAnswer, performAndPrint } from './perform.ts'

export function requestsCommand(io: Io): Command {
  return new Command('requests')
    .description('list requests to models, and cancel those that run; never what was said')
    .addCommand(listCommand(io))
    .addCommand(cancelCommand(io))
}

function listCommand(io: Io): Command {
  const command = newCommand('list', 'list the requests that run, the latest first')
    .option('--recent', 'those that ended since the server started, the latest 1,000, with the reasons of failures')
    .option('--paid', 'all that were paid')
    .option('--account <account>', 'only of this account: mail address or id')
    .option('--model <model>', 'only to this model: its id')
    .option('--limit <n>', 'how many lines', '50')
  return command.action(() => {
    const [recent, paid] = ['recent', 'paid'].map((name) => command.getOptionValue(name) === true)
    if (recent && paid) throw new UsageError('--recent and --paid cannot be combined')
    const tab = recent ? 'recent' : paid ? 'paid' : 'running'
    const filter = { account: optionText(command, 'account'), model: optionText(command, 'model') }
    const given = Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined))
    const input = { tab, filter: given, limit: limitOption(command) }
    return performAndPrint(command, io, 'requests-list', input, ({ rows }) =>
      rows.length === 0 ? 'No requests.\n' : formatTable(rows, columns),
    )
  })
}

function cancelCommand(io: Io): Command {
  const command = newCommand(
    'cancel',
    'end a request that runs: its client gets an error, and nothing is charged',
  ).argument('<request>', 'its id as listed')
  return command.action((request: string) =>
    performAndPrint(command, io, 'requests-cancel', { request }, () => `${request} was cancelled.\n`),
  )
}

const columns: Columns<OperationAnswer<'requests-list'>['rows'][number]> = {
  ID: ({ id }) => id,
  TIME: ({ startedMs }) => secondOf(startedMs),
  ACCOUNT: ({ accountName, accountId }) => accountName ?? accountId ?? '-',
  MODEL: ({ model }) => model ?? '-',
  ENDPOINT: ({ endpoint }) => endpoint,
  STATE: ({ state, status, finish }) => (state === 'ended' ? [status, finish].filter(Boolean).join(' ') || '-' : state),
  WAITED: ({ waitedMs }) => milliseconds(waitedMs),
  'FIRST OUTPUT': ({ firstOutputMs }) => milliseconds(firstOutputMs),
  TOTAL: ({ durationMs }) => milliseconds(durationMs),
  INPUT: ({ promptTokens }) => String(promptTokens ?? '-'),
  OUTPUT: ({ outputTokens, isEstimated }) => `${outputTokens ?? '-'}${isEstimated ? ' (estimated)' : ''}`,
  COST: ({ costNanoUsd }) => (costNanoUsd === null ? '-' : dollars(costNanoUsd)),
  FAILURE: ({ code, cause }) => [code, cause].filter((text) => text !== null).join(': ') || '-',
}

function milliseconds(ms: number | null): string {
  return ms === null ? '-' : `${Math.round(ms)} ms`
}
