import { Command } from 'commander'
import { errorText } from '../core/error-text.ts'
import { dollars } from '../core/money.ts'
import { type Role, roles } from '../core/roles.ts'
import type { OperationInput } from '../operations/operations.ts'
import { printLinkOf } from './admin.ts'
import { formatTable, minuteOf } from './format.ts'
import { CommandError, type Io, printAnswer, UsageError } from './io.ts'
import { keyTable } from './keys.ts'
import { moneyColumns } from './ledger.ts'
import { newCommand, optionText } from './options.ts'
import { addPageFlags, readPages } from './pages.ts'
import { type OperationAnswer, operationTarget, perform, performAndPrint } from './perform.ts'

type User = OperationAnswer<'accounts-show'>['account']
type UserDetails = OperationAnswer<'accounts-show'>

export function usersCommand(io: Io): Command {
  return new Command('users')
    .description('list, show, make, disable, enable, export and erase accounts')
    .addCommand(listCommand(io))
    .addCommand(showCommand(io))
    .addCommand(createCommand(io))
    .addCommand(unmeteredCommand(io))
    .addCommand(roleCommand(io))
    .addCommand(linkCommand(io))
    .addCommand(removeSecondFactorCommand(io))
    .addCommand(disableCommand(io, { name: 'disable', isDisabled: true }))
    .addCommand(disableCommand(io, { name: 'enable', isDisabled: false }))
    .addCommand(identitiesCommand(io))
    .addCommand(unlinkCommand(io))
    .addCommand(exportCommand(io))
    .addCommand(eraseCommand(io))
}

function listCommand(io: Io): Command {
  const command = addPageFlags(newCommand('list', 'list the accounts and their balances'))
    .option('--search <text>', 'only those with this in their address or name, or with this id')
    .option('--state <state>', 'only unconfirmed, disabled, unmetered, empty, operator, treasurer, auditor or team')
  return command.action(async () => {
    const search = optionText(command, 'search')
    // The operation checks the value.
    const state = optionText(command, 'state') as OperationInput<'accounts-list'>['state']
    const users = await readPages(command, (page) =>
      perform(operationTarget(command, io), 'accounts-list', { search, state, ...page }),
    )
    printAnswer(command, io, users, userTable)
  })
}

function showCommand(io: Io): Command {
  const command = newCommand('show', 'show an account: balance, keys, last moves of money, last requests').argument(
    '<account>',
    'mail address or id',
  )
  return command.action((account: string) => performAndPrint(command, io, 'accounts-show', { account }, detailsText))
}

function createCommand(io: Io): Command {
  const command = newCommand('create', 'make an account; no mail is sent, and it has no key yet')
    .argument('<email>', 'mail address, with which its owner signs in')
    .option('--name <name>', 'what to call it')
    .option('--unmetered', 'its use is recorded and priced, never charged nor refused')
  return command.action((email: string) => {
    const isUnmetered = command.getOptionValue('unmetered') === true
    const input = { email, name: optionText(command, 'name'), isUnmetered }
    return performAndPrint(
      command,
      io,
      'accounts-create',
      input,
      (user) => `Account ${user.id} of ${user.email} made.\n`,
    )
  })
}

function unmeteredCommand(io: Io): Command {
  const command = newCommand('unmetered', "switch whether an account's use is charged")
  const effects = 'on: recorded and priced, never charged nor refused; off: paid from its balance'
  return switched(command, effects, (account, isUnmetered) => {
    const state = isUnmetered ? 'unmetered' : 'charged for what it uses'
    return performAndPrint(command, io, 'accounts-set-unmetered', { account, isUnmetered }, changedText(state))
  })
}

function roleCommand(io: Io): Command {
  const rights = 'auditor reads all, treasurer moves money, operator does everything'
  const effects = "its sessions end, a member's password too: 'inferd admin link' leads to another"
  const command = newCommand('role', "change what an account may do on the operators' pages")
    .argument('<account>', 'mail address or id')
    .argument('<role>', `${roles.join(', ')}: ${rights}; ${effects}`)
  return command.action((account: string, text: string) => {
    // The operation checks the value.
    const role = text as Role
    return performAndPrint(command, io, 'accounts-set-role', { account, role }, (user) => {
      const link = `Without a password yet, 'inferd admin link --account ${account}' leads to one.\n`
      return changedText(`of role ${role}`)(user) + (role === 'member' ? '' : io.hint(link))
    })
  })
}

function switched(
  command: Command,
  effects: string,
  change: (account: string, isOn: boolean) => Promise<void>,
): Command {
  return command
    .argument('<account>', 'mail address or id')
    .argument('<on|off>', effects)
    .action((account: string, value: string) => {
      if (value !== 'on' && value !== 'off') throw new UsageError(`${command.name()} is on or off, not "${value}"`)
      return change(account, value === 'on')
    })
}

function linkCommand(io: Io): Command {
  const command = newCommand('link', 'print a link that signs the owner of an account in, once').argument(
    '<account>',
    'mail address or id',
  )
  return command.action(async (account: string) => {
    const made = await perform(operationTarget(command, io), 'accounts-sign-in-link', { account })
    await printLinkOf(command, io, made, '30 minutes; earlier links end')
  })
}

function removeSecondFactorCommand(io: Io): Command {
  const command = newCommand(
    'remove-second-factor',
    'let an account sign in by its password alone; its sessions end',
  ).argument('<account>', 'mail address or id')
  return command.action((account: string) =>
    performAndPrint(command, io, 'accounts-remove-second-factor', { account }, changedText('without a second factor')),
  )
}

function disableCommand(
  io: Io,
  { name, isDisabled }: { readonly name: string; readonly isDisabled: boolean },
): Command {
  const summary = isDisabled
    ? 'refuse the keys, links and sessions of an account; its money stays'
    : 'let an account in again'
  const command = newCommand(name, summary).argument('<account>', 'mail address or id')
  return command.action((account: string) =>
    performAndPrint(command, io, 'accounts-set-disabled', { account, isDisabled }, changedText(`${name}d`)),
  )
}

function identitiesCommand(io: Io): Command {
  const command = newCommand('identities', 'list the identity providers by which an account signs in').argument(
    '<account>',
    'mail address or id',
  )
  return command.action((account: string) =>
    performAndPrint(command, io, 'identities-list', { account }, (rows) =>
      formatTable(rows, {
        PROVIDER: ({ provider }) => provider,
        EMAIL: ({ email }) => email ?? '-',
        GROUPS: ({ groups }) => groups.join(', ') || '-',
        LINKED: ({ createdMs }) => minuteOf(createdMs),
        'LAST SIGN-IN': ({ lastSignInMs }) => minuteOf(lastSignInMs),
        REFUSED: ({ refusedMs }) => minuteOf(refusedMs),
        ISSUER: ({ issuer }) => issuer,
        SUBJECT: ({ subject }) => subject,
      }),
    ),
  )
}

function unlinkCommand(io: Io): Command {
  const command = newCommand('unlink', 'take from an account its sign-in by an identity provider')
    .argument('<account>', 'mail address or id')
    .argument('<provider>', 'NAME of its [oidc.NAME]')
  return command.action((account: string, provider: string) =>
    performAndPrint(
      command,
      io,
      'identities-unlink',
      { account, provider },
      ({ ended }) => `unlinked; ${ended} session${ended === 1 ? '' : 's'} ended\n`,
    ),
  )
}

function exportCommand(io: Io): Command {
  const command = newCommand('export', 'print all data about an account as JSON, without secrets')
    .argument('<account>', 'mail address or id')
    .option('--out <file>', 'a new file for it, which its owner alone may read')
  return command.action(async (account: string) => {
    const target = operationTarget(command, io)
    const path = optionText(command, 'out')
    const begun = await perform(target, 'accounts-export', { account })
    const { exportFile } = await import('../operations/export-file.ts')
    const pieces = exportFile(begun, (input) => perform(target, 'accounts-export-rows', input))
    if (path !== undefined) await writeNewFile(path, pieces)
    else for await (const piece of pieces) io.out(piece)
  })
}

/** Writes a new private file. Throws CommandError if there is one. */
async function writeNewFile(path: string, pieces: AsyncIterable<string>): Promise<void> {
  const { open } = await import('node:fs/promises')
  const file = await open(path, 'wx', 0o600).catch((error: unknown) => {
    throw new CommandError(`${path} cannot be made: ${errorText(error)}; name a new file`)
  })
  try {
    for await (const piece of pieces) await file.write(piece)
    await file.sync()
  } finally {
    await file.close()
  }
}

function eraseCommand(io: Io): Command {
  const command = newCommand('erase', 'erase the person of an account for good; its id and all sums stay')
    .argument('<account>', 'mail address or id')
    .option('--yes', 'do not ask')
  return command.action(async (account: string) => {
    if (command.getOptionValue('yes') !== true) {
      const answer = await io.ask(`Erase ${account} for good? Type yes: `)
      if (answer?.trim() !== 'yes') throw new CommandError('nothing was erased: answer yes, or give --yes')
    }
    await performAndPrint(command, io, 'accounts-erase', { account }, ({ account: id, copies }) => {
      const rest =
        "Backups have the person until they are deleted ('inferd backup' makes a new one); a restore erases again."
      const older = copies.length === 0 ? '' : ` Delete from the data folder: ${copies.join(', ')}.`
      return io.hint(`${id} is erased. ${rest}${older}\n`)
    })
  })
}

function changedText(state: string): (user: User) => string {
  return ({ email, id }) => `${email ?? id} is ${state} from now on.\n`
}

function userTable(users: OperationAnswer<'accounts-list'>): string {
  return formatTable(users, {
    ID: ({ id }) => id,
    EMAIL: ({ email }) => email ?? '-',
    NAME: ({ name }) => name || '-',
    ROLE: roleOf,
    STATE: stateOf,
    BALANCE: ({ balanceNanoUsd }) => dollars(balanceNanoUsd),
    HELD: ({ heldNanoUsd }) => dollars(heldNanoUsd),
    CREATED: ({ createdMs }) => minuteOf(createdMs),
    'LAST USED': ({ lastUsedMs }) => minuteOf(lastUsedMs),
    'SPENT IN 30 DAYS': ({ spent30DaysNanoUsd }) => dollars(spent30DaysNanoUsd),
  })
}

/** Returns the role of a person. Teams have none. */
function roleOf({ kind, role }: User): string {
  return kind === 'team' ? kind : role
}

function stateOf({ erasedMs, disabledMs, isUnmetered, confirmedMs, email }: User): string {
  if (erasedMs !== null) return 'erased'
  if (disabledMs !== null) return 'disabled'
  if (isUnmetered) return 'unmetered'
  return confirmedMs === null && email !== null ? 'unconfirmed' : 'ok'
}

function detailsText({ account, keys, ledger, usage }: UserDetails): string {
  const { email, name, id, balanceNanoUsd, heldNanoUsd, createdMs, confirmedMs, disabledMs } = account
  return [
    `${email ?? name}   ${id}`,
    '',
    `Name        ${name || '-'}`,
    `Role        ${roleOf(account)}`,
    `State       ${stateOf(account)}`,
    `Balance     ${dollars(balanceNanoUsd)}, of which running requests hold ${dollars(heldNanoUsd)}`,
    `Created     ${minuteOf(createdMs)}`,
    `Confirmed   ${minuteOf(confirmedMs)}`,
    ...(disabledMs === null ? [] : [`Disabled    ${minuteOf(disabledMs)}`]),
    '',
    keyTable(keys),
    formatTable(ledger, moneyColumns),
    formatTable(usage, {
      TIME: (row) => minuteOf(row.createdMs),
      MODEL: (row) => row.model,
      INPUT: (row) => String(row.used.promptTokens),
      OUTPUT: (row) => String(row.used.completionTokens),
      CHARGED: (row) => dollars(row.chargedNanoUsd),
      ENDED: (row) => row.finish,
      REQUEST: (row) => row.requestId,
    }),
  ].join('\n')
}
