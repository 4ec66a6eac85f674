import type { Command } from 'commander'
import { printLinkOf } from './admin.ts'
import { askServer } from './control-client.ts'
import { type Columns, formatTable, minuteOf } from './format.ts'
import { type Io, printAnswer } from './io.ts'
import { configOf, limitOption, newCommand, optionText } from './options.ts'
import { type OperationAnswer, operationTarget, perform, performAndPrint } from './perform.ts'
import { noServer } from './running-servers.ts'

export function outboxCommand(io: Io): Command {
  const command = newCommand('outbox', 'show mails that wait to be sent, or the link of one of them')
    .option('--open <mail>', 'print the link of this mail, which is not sent then')
    .option('--retry <mail>', 'have the running server send this mail now')
    .option('--test [address]', 'have the running server send a test mail (default: to its own sender)')
    .option('--all', 'mails that were sent as well')
    .option('--limit <n>', 'how many mails', '100')
  return command.action(async () => {
    const opened = optionText(command, 'open')
    const retried = optionText(command, 'retry')
    const tested: unknown = command.getOptionValue('test')
    if (opened !== undefined) await open(command, io, opened)
    else if (retried !== undefined) await retry(command, io, retried)
    else if (tested !== undefined) await sendTestMail(command, io, typeof tested === 'string' ? tested : undefined)
    else await list(command, io)
  })
}

async function open(command: Command, io: Io, mail: string): Promise<void> {
  const opened = await perform(operationTarget(command, io), 'outbox-open', { mail })
  const lifetime = opened.purpose === 'confirm' ? '7 days' : '30 minutes'
  await printLinkOf(command, io, opened, `${lifetime}, and is shown this once`)
}

async function retry(command: Command, io: Io, mail: string): Promise<void> {
  const { data: dataDir } = configOf(command, io)
  if ((await askServer(dataDir)) === undefined) throw await noServer(dataDir)
  await performAndPrint(command, io, 'outbox-retry', { mail }, ({ id }) => `${id} is due now: the server sends it.\n`)
}

/** Time limit of a test mail. A mail server may take a minute. */
const testWithinMs = 90_000

async function sendTestMail(command: Command, io: Io, to: string | undefined): Promise<void> {
  const target = operationTarget(command, io, testWithinMs)
  const answer = await perform(target, 'mail-test', { to })
  printAnswer(command, io, answer, ({ address }) => `A test mail to ${address} was taken by the mail server.\n`)
}

function list(command: Command, io: Io): Promise<void> {
  const input = { isWaiting: command.getOptionValue('all') !== true, limit: limitOption(command) }
  return performAndPrint(command, io, 'outbox-list', input, (mails) => formatTable(mails, columns))
}

const columns: Columns<OperationAnswer<'outbox-list'>[number]> = {
  ID: ({ id }) => id,
  TO: ({ address }) => address,
  PURPOSE: ({ purpose }) => purpose,
  CREATED: ({ createdMs }) => minuteOf(createdMs),
  SENT: ({ sentMs }) => minuteOf(sentMs),
  TRIES: ({ attempts }) => String(attempts),
  'LAST FAILURE': ({ failure }) => (failure ?? '').replaceAll(/\s+/g, ' '),
}
