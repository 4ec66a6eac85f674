import { Command } from 'commander'
import { formatTable, minuteOf, validity } from './format.ts'
import { type Io, jsonLine, printAnswer, wantsJson } from './io.ts'
import { newCommand, optionText, wholeNumberOption } from './options.ts'
import { addPageFlags, readPages } from './pages.ts'
import { type OperationAnswer, operationTarget, perform } from './perform.ts'
import { printSecret } from './print-secret.ts'

type KeyRow = Omit<OperationAnswer<'keys-list'>[number], 'cost30DaysNanoUsd'>

export function keysCommand(io: Io): Command {
  return new Command('keys')
    .description('create, list and revoke API keys')
    .addCommand(createCommand(io))
    .addCommand(listCommand(io))
    .addCommand(revokeCommand(io))
}

function createCommand(io: Io): Command {
  const command = newCommand('create', 'make an API key and print it, once')
    .requiredOption('--name <name>', 'what the key is for')
    .option('--account <account>', "whose key it is: mail address or id (default: the operator's own account)")
    .option('--holder <account>', 'of a key of a team: the member who uses it, by mail address or id')
    .option('--expires-days <n>', 'days until it stops working (default: never)')
  return command.action(async () => {
    const created = await perform(operationTarget(command, io), 'keys-create', {
      name: optionText(command, 'name') ?? '',
      account: optionText(command, 'account'),
      holder: optionText(command, 'holder'),
      expiresDays: wholeNumberOption(command, 'expiresDays'),
    })
    const isJson = wantsJson(command)
    await printSecret(io, {
      text: isJson ? jsonLine(created) : `${created.key}\n`,
      name: `key ${created.id}`,
      revoke: () => perform(operationTarget(command, io), 'keys-revoke', { key: created.id }),
      revokeCommand: `inferd keys revoke ${created.id}`,
    })
    if (!isJson) io.error(`Key ${created.id} made. It is shown this once; the server accepts it from now on.\n`)
  })
}

function listCommand(io: Io): Command {
  const command = addPageFlags(
    newCommand('list', 'list the API keys, without their secrets').option(
      '--account <account>',
      'only the keys of this account: mail address or id',
    ),
  )
  return command.action(async () => {
    const account = optionText(command, 'account')
    const rows = await readPages(command, (page) =>
      perform(operationTarget(command, io), 'keys-list', { account, ...page }),
    )
    printAnswer(command, io, rows, keyTable)
  })
}

function revokeCommand(io: Io): Command {
  const command = newCommand('revoke', 'end an API key for good').argument(
    '<key>',
    'its id or its first characters as listed',
  )
  return command.action(async (key: string) => {
    const revoked = await perform(operationTarget(command, io), 'keys-revoke', { key: key.replace(/…$/, '') })
    printAnswer(
      command,
      io,
      { revoked: revoked.id },
      () => `Key ${revoked.id} is revoked; the server refuses it from now on.\n`,
    )
  })
}

export function keyTable(rows: readonly KeyRow[]): string {
  return formatTable(rows, {
    ID: (row) => row.id,
    NAME: (row) => row.name,
    KEY: (row) => `${row.prefix}…`,
    STATE: (row) => (row.revokedAtMs === null ? validity(row.expiresAtMs) : 'revoked'),
    CREATED: (row) => minuteOf(row.createdMs),
    'LAST USED': (row) => minuteOf(row.lastUsedMs),
    ACCOUNT: (row) => row.accountId,
    ...(rows.some(({ holderId }) => holderId !== null) && { HOLDER: (row: KeyRow) => row.holderId ?? '-' }),
  })
}
