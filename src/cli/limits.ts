import { Command } from 'commander'
import { dollars } from '../core/money.ts'
import type { OperationInput } from '../operations/operations.ts'
import { formatTable, minuteOf } from './format.ts'
import type { Io } from './io.ts'
import { newCommand, optionText } from './options.ts'
import { type OperationAnswer, performAndPrint } from './perform.ts'

type LimitsAnswer = OperationAnswer<'limits-show'>
type LimitsInput = OperationInput<'limits-set'>

const subjectHelp = 'account (mail address or id) or key (id or first characters)'

export function limitsCommand(io: Io): Command {
  return new Command('limits')
    .description('show and set limits of accounts and keys')
    .addCommand(showCommand(io))
    .addCommand(setCommand(io))
}

function showCommand(io: Io): Command {
  const command = newCommand('show', 'show the limits of an account or a key, and what is left').argument(
    '<subject>',
    subjectHelp,
  )
  return command.action((subject: string) => performAndPrint(command, io, 'limits-show', { subject }, limitsText))
}

function setCommand(io: Io): Command {
  const command = newCommand('set', 'set limits; the value none removes one, limits that are not named stay')
    .argument('<subject>', subjectHelp)
    .option('--daily-usd <usd>', 'most USD that requests may cost in a day UTC')
    .option('--monthly-usd <usd>', 'most USD that requests may cost in a month UTC')
    .option('--requests-per-minute <n>', 'most requests in any minute')
    .option('--tokens-per-minute <n>', 'most tokens in a minute, of prompts without cached ones and of answers')
    .option('--parallel <n>', 'most requests that wait or run at a time')
    .option('--models <ids>', 'only these models: ids, separated by commas')
    .option('--endpoints <names>', 'only these endpoints, such as chat/completions,embeddings')
    .option('--networks <list>', 'only clients in these networks, such as 10.1.0.0/16,192.168.1.7')
  return command.action((subject: string) =>
    performAndPrint(command, io, 'limits-set', { subject, ...changesOf(command) }, limitsText),
  )
}

const forms: Readonly<Record<string, (text: string) => unknown>> = {
  dailyUsd: (text) => text.replace(/^\$/, ''),
  monthlyUsd: (text) => text.replace(/^\$/, ''),
  requestsPerMinute: Number,
  tokensPerMinute: Number,
  parallel: Number,
  models: listOf,
  endpoints: listOf,
  networks: listOf,
}

function listOf(text: string): string[] {
  return text.split(/[\s,]+/).filter((item) => item !== '')
}

function changesOf(command: Command): Omit<LimitsInput, 'subject'> {
  const typed = Object.keys(forms).flatMap((name) => {
    const text = optionText(command, name)
    return text === undefined ? [] : [{ name, text }]
  })
  const set = typed.filter(({ text }) => text !== 'none').map(({ name, text }) => [name, forms[name]?.(text)])
  const remove = typed.filter(({ text }) => text === 'none').map(({ name }) => name)
  return { ...Object.fromEntries(set), ...(remove.length > 0 && { remove }) } // the operation checks it
}

function limitsText(answer: LimitsAnswer): string {
  const { subject, running, requestsLeft, tokensLeft, setBy } = answer
  const budgets = answer.budgets.map(({ per, limitNanoUsd, leftNanoUsd, resetMs }) => ({
    limit: `USD a ${per}`,
    value: dollars(limitNanoUsd),
    left: `${dollars(leftNanoUsd)} until ${minuteOf(resetMs)}`,
  }))
  const left = (count: number | null) => (count === null ? '-' : String(count))
  const numbers = [
    { limit: 'requests a minute', value: answer.requestsPerMinute, left: left(requestsLeft) },
    { limit: 'tokens a minute', value: answer.tokensPerMinute, left: left(tokensLeft) },
    { limit: 'requests at a time', value: answer.parallel, left: running === null ? '-' : `${running} run` },
  ].flatMap((row) => (row.value === null ? [] : [{ ...row, value: String(row.value) }]))
  const lists = (['models', 'endpoints', 'networks'] as const).flatMap((name) => {
    const items = answer[name]
    return items === null ? [] : [{ limit: name, value: items.join(', ') || 'none allowed', left: '-' }]
  })
  const rows = [...budgets, ...numbers, ...lists]
  if (rows.length === 0) return `${subject} has no limits.\n`
  const table = formatTable(rows, { LIMIT: (row) => row.limit, VALUE: (row) => row.value, LEFT: (row) => row.left })
  return `${subject}, set by ${setBy.join(' and ')}\n\n${table}`
}
