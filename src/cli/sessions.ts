import { Command } from 'commander'
import { type Columns, count, formatTable, minuteOf } from './format.ts'
import type { Io } from './io.ts'
import { newCommand } from './options.ts'
import { type OperationAnswer, performAndPrint } from './perform.ts'

export function sessionsCommand(io: Io): Command {
  return new Command('sessions')
    .description('list and end the sessions of people who are signed in')
    .addCommand(listCommand(io))
    .addCommand(endCommand(io))
}

function listCommand(io: Io): Command {
  const command = newCommand('list', 'list the sessions of an account').argument('<account>', 'mail address or id')
  return command.action((account: string) =>
    performAndPrint(command, io, 'sessions-list', { account }, (rows) => formatTable(rows, columns)),
  )
}

function endCommand(io: Io): Command {
  const command = newCommand('end', 'end one session of an account, or all of them')
    .argument('<account>', 'mail address or id')
    .argument('[session]', 'its id as listed (default: all)')
  return command.action((account: string, session: string | undefined) =>
    performAndPrint(
      command,
      io,
      'sessions-end',
      { account, session },
      ({ ended }) => `${count(ended, 'session')} ended.\n`,
    ),
  )
}

const columns: Columns<OperationAnswer<'sessions-list'>[number]> = {
  ID: ({ id }) => id,
  RIGHTS: ({ role }) => role,
  BEGAN: ({ createdMs }) => minuteOf(createdMs),
  'LAST USED': ({ lastUsedMs }) => minuteOf(lastUsedMs),
  FROM: ({ address }) => address ?? '-',
  BROWSER: ({ userAgent }) => userAgent ?? '-',
}
