import type { Command } from 'commander'
import { callOperation, operationTarget } from './call-operation.ts'
import { CommandError, type Io, jsonLine, printJson } from './io.ts'
import { newCommand, optionText, wantsJson, wholeNumberOption } from './options.ts'
import { reasonOf } from './print-secret.ts'
import { formatTable } from './table.ts'
import { minuteOf } from './time.ts'

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
  const opened = await callOperation(operationTarget(command, io), 'outbox-open', { mail })
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
  const mails = await callOperation(operationTarget(command, io), 'outbox-list', {
    isWaiting: command.getOptionValue('all') !== true,
    limit: wholeNumberOption(command, 'limit') ?? Number.NaN,
  })
  if (wantsJson(command)) {
    printJson(io, mails)
    return
  }
  const cells = mails.map(({ id, address, purpose, createdMs, sentMs, attempts, failure }) => [
    id,
    address,
    purpose,
    minuteOf(createdMs),
    minuteOf(sentMs),
    String(attempts),
    (failure ?? '').replaceAll(/\s+/g, ' '),
  ])
  io.out(formatTable(['ID', 'TO', 'PURPOSE', 'CREATED', 'SENT', 'TRIES', 'LAST FAILURE'], cells))
}
