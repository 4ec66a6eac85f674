import { Command } from 'commander'
import type { OperationInput } from '../operations/operations.ts'
import { formatTable, minuteOf } from './format.ts'
import type { Io } from './io.ts'
import { newCommand, optionText } from './options.ts'
import { type OperationAnswer, performAndPrint } from './perform.ts'

export function teamsCommand(io: Io): Command {
  return new Command('teams')
    .description('make and end teams, which pay for the keys of their members')
    .addCommand(createCommand(io))
    .addCommand(showCommand(io))
    .addCommand(addCommand(io))
    .addCommand(removeCommand(io))
    .addCommand(deleteCommand(io))
}

function createCommand(io: Io): Command {
  const command = newCommand('create', 'make a team without members and money').argument('<name>', 'what to call it')
  return command.action((name: string) =>
    performAndPrint(command, io, 'teams-create', { name }, ({ id }) => `Team ${id} made.\n`),
  )
}

function showCommand(io: Io): Command {
  const command = newCommand('show', 'show the members of a team').argument('<team>', 'id')
  return command.action((team: string) =>
    performAndPrint(command, io, 'teams-show', { team }, ({ members }) => formatTable(members, columns)),
  )
}

const columns = {
  ACCOUNT: ({ accountId }) => accountId,
  EMAIL: ({ email }) => email ?? '-',
  NAME: ({ name }) => name || '-',
  ROLE: ({ role }) => role,
  'GIVEN BY': ({ source }) => source,
  JOINED: ({ joinedMs }) => minuteOf(joinedMs),
} satisfies Record<string, (member: OperationAnswer<'teams-show'>['members'][number]) => string>

function addCommand(io: Io): Command {
  const command = newCommand('add', 'make a person a member of a team, or change the role there')
    .argument('<team>', 'id')
    .argument('<account>', 'mail address or id')
    .option('--role <role>', 'member or manager: sees use and keys of the team (default: member)')
  return command.action((team: string, account: string) => {
    // The operation checks the value.
    const role = optionText(command, 'role') as OperationInput<'teams-add'>['role']
    return performAndPrint(command, io, 'teams-add', { team, account, role }, (added) => {
      return `${added.account} is a ${added.role} of ${added.team} from now on.\n`
    })
  })
}

function removeCommand(io: Io): Command {
  const command = newCommand('remove', 'end a membership, and the keys of the team that the person holds')
    .argument('<team>', 'id')
    .argument('<account>', 'mail address or id')
  return command.action((team: string, account: string) =>
    performAndPrint(command, io, 'teams-remove', { team, account }, ({ keys }) => `Removed; ${keys} keys revoked.\n`),
  )
}

function deleteCommand(io: Io): Command {
  const command = newCommand('delete', 'end a team without members; its account stays in the books').argument(
    '<team>',
    'id',
  )
  return command.action((team: string) =>
    performAndPrint(command, io, 'teams-delete', { team }, ({ id }) => `Team ${id} has ended.\n`),
  )
}
