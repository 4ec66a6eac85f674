import { Command } from 'commander'
import { type OperationAnswer, perform } from './call-operation.ts'
import { dollars, formatTable, minuteOf } from './format.ts'
import { type Io, UsageError } from './io.ts'
import { keyTable } from './keys.ts'
import { newCommand, optionText } from './options.ts'
import { addPageFlags, readPages } from './pages.ts'
import { printAnswer } from './print-answer.ts'

type User = OperationAnswer<'accounts-list'>[number]
type UserDetails = OperationAnswer<'accounts-show'>

export function usersCommand(io: Io): Command {
  return new Command('users')
    .description('list, show, make, disable and enable accounts')
    .addCommand(listCommand(io))
    .addCommand(showCommand(io))
    .addCommand(createCommand(io))
    .addCommand(unmeteredCommand(io))
    .addCommand(disableCommand(io, { name: 'disable', isDisabled: true }))
    .addCommand(disableCommand(io, { name: 'enable', isDisabled: false }))
}

function listCommand(io: Io): Command {
  const command = addPageFlags(newCommand('list', 'list the accounts and their balances'))
  return command.action(async () => {
    const users = await readPages(command, (page) => perform(command, io, 'accounts-list', page))
    printAnswer(command, io, users, userTable)
  })
}

function showCommand(io: Io): Command {
  const command = newCommand('show', 'show an account: balance, keys, last moves of money, last requests').argument(
    '<account>',
    'mail address or id',
  )
  return command.action(async (account: string) => {
    const details = await perform(command, io, 'accounts-show', { account })
    printAnswer(command, io, details, detailsText)
  })
}

function createCommand(io: Io): Command {
  const command = newCommand('create', 'make an account; no mail is sent, and it has no key yet')
    .argument('<email>', 'mail address, with which its owner signs in')
    .option('--name <name>', 'what to call it')
    .option('--unmetered', 'its use is recorded and priced, never charged nor refused')
  return command.action(async (email: string) => {
    const user = await perform(command, io, 'accounts-create', {
      email,
      name: optionText(command, 'name'),
      isUnmetered: command.getOptionValue('unmetered') === true,
    })
    printAnswer(command, io, user, () => `Account ${user.id} of ${user.email} made.\n`)
  })
}

function unmeteredCommand(io: Io): Command {
  const command = newCommand('unmetered', "switch whether an account's use is charged")
    .argument('<account>', 'mail address or id')
    .argument('<on|off>', 'on: recorded and priced, never charged nor refused; off: paid from its balance')
  return command.action(async (account: string, value: string) => {
    if (value !== 'on' && value !== 'off') throw new UsageError(`unmetered is on or off, not "${value}"`)
    const isUnmetered = value === 'on'
    const user = await perform(command, io, 'accounts-set-unmetered', { account, isUnmetered })
    printAnswer(
      command,
      io,
      user,
      () => `${user.email ?? user.id} is ${isUnmetered ? 'unmetered' : 'charged for what it uses'} from now on.\n`,
    )
  })
}

function disableCommand(
  io: Io,
  { name, isDisabled }: { readonly name: string; readonly isDisabled: boolean },
): Command {
  const summary = isDisabled
    ? 'refuse the keys, links and sessions of an account; its money stays'
    : 'let an account in again'
  const command = newCommand(name, summary).argument('<account>', 'mail address or id')
  return command.action(async (account: string) => {
    const user = await perform(command, io, 'accounts-set-disabled', { account, isDisabled })
    printAnswer(
      command,
      io,
      user,
      () => `${user.email ?? user.id} is ${isDisabled ? 'disabled' : 'enabled'} from now on.\n`,
    )
  })
}

function userTable(users: readonly User[]): string {
  const cells = users.map((user) => [
    user.id,
    user.email ?? '-',
    user.name === '' ? '-' : user.name,
    stateOf(user),
    dollars(user.balanceNanoUsd),
    dollars(user.heldNanoUsd),
    minuteOf(user.createdMs),
  ])
  return formatTable(['ID', 'EMAIL', 'NAME', 'STATE', 'BALANCE', 'HELD', 'CREATED'], cells)
}

function stateOf({ disabledMs, isUnmetered, confirmedMs, email }: User): string {
  if (disabledMs !== null) return 'disabled'
  if (isUnmetered) return 'unmetered'
  return confirmedMs === null && email !== null ? 'unconfirmed' : 'ok'
}

function detailsText({ account, keys, ledger, usage }: UserDetails): string {
  const ledgerCells = ledger.map((row) => [
    minuteOf(row.createdMs),
    row.kind,
    dollars(row.amountNanoUsd),
    dollars(row.balanceAfterNanoUsd),
    row.actor,
    row.memo ?? row.requestId ?? row.voucherId ?? '',
  ])
  const usageCells = usage.map((row) => [
    minuteOf(row.createdMs),
    row.model,
    String(row.used.promptTokens),
    String(row.used.completionTokens),
    dollars(row.chargedNanoUsd),
    row.finish,
    row.requestId,
  ])
  return [
    `${account.email ?? account.name}   ${account.id}`,
    '',
    `Name        ${account.name === '' ? '-' : account.name}`,
    `State       ${stateOf(account)}`,
    `Balance     ${dollars(account.balanceNanoUsd)}, of which running requests hold ${dollars(account.heldNanoUsd)}`,
    `Created     ${minuteOf(account.createdMs)}`,
    `Confirmed   ${minuteOf(account.confirmedMs)}`,
    ...(account.disabledMs === null ? [] : [`Disabled    ${minuteOf(account.disabledMs)}`]),
    '',
    keyTable(keys),
    formatTable(['TIME', 'MONEY', 'AMOUNT', 'BALANCE', 'WHO', 'WHAT FOR'], ledgerCells),
    formatTable(['TIME', 'MODEL', 'INPUT', 'OUTPUT', 'CHARGED', 'ENDED', 'REQUEST'], usageCells),
  ].join('\n')
}
