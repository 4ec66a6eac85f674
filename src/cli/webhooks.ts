import type { Command } from 'commander'
import { type Columns, formatTable, minuteOf } from './format.ts'
import { CommandError, type Io, printAnswer } from './io.ts'
import { limitOption, newCommand } from './options.ts'
import { type OperationAnswer, operationTarget, perform, performAndPrint } from './perform.ts'

type Listed = OperationAnswer<'webhooks-list'>

export function webhooksCommand(io: Io): Command {
  const command = newCommand('webhooks', 'show the addresses that get events, and the latest events for them').option(
    '--limit <n>',
    'how many events',
    '20',
  )
  command.action(() => performAndPrint(command, io, 'webhooks-list', { limit: limitOption(command) }, listText))
  command.addCommand(testCommand(io))
  return command
}

/** Time limit of a test, which waits 10 seconds for the receiver. */
const testWithinMs = 30_000

function testCommand(io: Io): Command {
  const command = newCommand('test', 'have the running server send a test event to a webhook').argument(
    '<webhook>',
    'its name',
  )
  return command.action(async (webhook: string) => {
    const answer = await perform(operationTarget(command, io, testWithinMs), 'webhooks-test', { webhook })
    if (!answer.isTaken) throw new CommandError(`${webhook} did not take the test event: ${answer.failure}`)
    printAnswer(command, io, answer, ({ id, status }) => `${webhook} took the test event ${id} (status ${status}).\n`)
  })
}

function listText({ webhooks, deliveries }: Listed): string {
  if (webhooks.length === 0) return 'No webhook is set: add [[webhooks]] with url and secret to the settings file.\n'
  return `${formatTable(webhooks, webhookColumns)}\n${formatTable(deliveries, deliveryColumns)}`
}

const webhookColumns: Columns<Listed['webhooks'][number]> = {
  WEBHOOK: ({ name }) => name,
  ADDRESS: ({ address }) => address,
  WAITING: ({ waiting }) => String(waiting),
  EVENTS: ({ events }) => events.join(' '),
}

const deliveryColumns: Columns<Listed['deliveries'][number]> = {
  ID: ({ id }) => id,
  WEBHOOK: ({ webhook }) => webhook,
  EVENT: ({ type }) => type,
  CREATED: ({ createdMs }) => minuteOf(createdMs),
  TAKEN: ({ deliveredMs }) => minuteOf(deliveredMs),
  TRIES: ({ attempts }) => String(attempts),
  STATUS: ({ status }) => String(status ?? '-'),
  'LAST FAILURE': ({ failure }) => failure ?? '',
}
