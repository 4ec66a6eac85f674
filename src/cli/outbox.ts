import type { Command } from 'commander'
import { type OperationAnswer, perform } from './call-operation.ts'
import { formatTable, minuteOf } from './format.ts'
import { CommandError, type Io } from './io.ts'
import { newCommand, optionText, wantsJson, wholeNumberOption } from './options.ts'
import { jsonLine, printAnswer } from './print-answer.ts'
import { reasonOf } from './print-secret.ts'

type OutboxMail = OperationAnswer<'outbox-list'>[number]

export function outboxCommand(io: Io): Command {
  const command = newCommand('outbox', 'show mails that wait to be sent, or the link of one of them')
    .option('--open <mail>', 'print the link of this mail, which is not sent then')
    .option('--all', 'mails that were sent as well')
    .option('--limit <n>', 'how many mails', '100')
  return command.action(async () => {
    const opened = optionText(command, 'open')
    if (opened !== undefined) await open(command, io, opened)
    else await list(command, io)
  })
}

async function open(command: Command, io: Io, mail: string): Promise<void> {
  const opened = await perform(command, io, 'outbox-open', { mail })
  const isJson = wantsJson(command)
  try {
    await io.deliver(isJson ? jsonLine(opened) : `${opened.link}\n`)
  } catch (error) {
    throw new CommandError(
      `the link could not be printed (${reasonOf(error)}); repeat the command with another output for another link`,
    )
  }
  if (isJson) return
  const lifetime = opened.purpose === 'confirm' ? '7 days' : '30 minutes'
  io.error(`For ${opened.address} alone: it works once, for ${lifetime}, and is shown this once.\n`)
}

async function list(command: Command, io: Io): Promise<void> {
  const mails = await perform(command, io, 'outbox-list', {
    isWaiting: command.getOptionValue('all') !== true,
    limit: wholeNumberOption(command, 'limit') ?? Number.NaN,
  })
  printAnswer(command, io, mails, mailTable)
}

function mailTable(mails: readonly OutboxMail[]): string {
  const cells = mails.map(({ id, address, purpose, createdMs, sentMs, attempts, failure }) => [
    id,
    address,
    purpose,
    minuteOf(createdMs),
    minuteOf(sentMs),
    String(attempts),
    (failure ?? '').replaceAll(/\s+/g, ' '),
  ])
  return formatTable(['ID', 'TO', 'PURPOSE', 'CREATED', 'SENT', 'TRIES', 'LAST FAILURE'], cells)
}
