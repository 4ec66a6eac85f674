import { Command } from 'commander'
import type { KeyRow } from '../accounts/keys.ts'
import { CommandError, type Io, printJson, UsageError } from './io.ts'
import { configOf, newCommand, wantsJson } from './options.ts'
import { formatTable } from './table.ts'
import { withKeys } from './with-keys.ts'

const dayMs = 24 * 60 * 60 * 1000

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
    .option('--expires-days <n>', 'days until it stops working (default: never)')
  return command.action(() => {
    const name = String(command.getOptionValue('name'))
    if (name.trim() === '' || name.length > 100 || /\p{Cc}/u.test(name)) {
      throw new UsageError('--name takes 1 to 100 characters on one line')
    }
    const expiresAtMs = expiry(command.getOptionValue('expiresDays'))
    const created = withKeys(configOf(command, io).dataDir, ({ keys, accounts }) =>
      keys.create({ accountId: accounts.ensureOperator().id, name, expiresAtMs }),
    )
    if (wantsJson(command)) {
      printJson(io, { ...created, name, expires: expiresAtMs ?? null })
      return
    }
    io.out(`${created.key}\n`)
    io.error(`Key ${created.id} made. It is shown this once; the server accepts it from now on.\n`)
  })
}

function expiry(days: unknown): number | undefined {
  if (days === undefined) return undefined
  const count = Number(days)
  if (!Number.isInteger(count) || count < 1 || count > 36_500) {
    throw new UsageError('--expires-days must be a whole number from 1 to 36500')
  }
  return Date.now() + count * dayMs
}

function listCommand(io: Io): Command {
  const command = newCommand('list', 'list the API keys, without their secrets')
  return command.action(() => {
    const rows = withKeys(configOf(command, io).dataDir, ({ keys }) => keys.list())
    if (wantsJson(command)) {
      printJson(io, rows.map(toJson))
      return
    }
    const cells = rows.map((row) => [
      row.id,
      row.name,
      `${row.prefix}…`,
      stateOf(row),
      dateOf(row.createdMs),
      dateOf(row.lastUsedMs),
    ])
    io.out(formatTable(['ID', 'NAME', 'KEY', 'STATE', 'CREATED', 'LAST USED'], cells))
  })
}

function revokeCommand(io: Io): Command {
  const command = newCommand('revoke', 'end an API key for good').argument(
    '<key>',
    'its id or its first characters as listed',
  )
  return command.action((key: string) => {
    const wanted = key.replace(/…$/, '')
    if (!withKeys(configOf(command, io).dataDir, ({ keys }) => keys.revoke(wanted))) {
      throw new CommandError(`there is no key "${wanted}"; 'inferd keys list' shows their ids`)
    }
    if (wantsJson(command)) printJson(io, { revoked: wanted })
    else io.out(`Key ${wanted} is revoked; the server refuses it from now on.\n`)
  })
}

function toJson({ id, accountId, name, prefix, createdMs, expiresAtMs, revokedAtMs, lastUsedMs }: KeyRow): object {
  return {
    id,
    account: accountId,
    name,
    prefix,
    created: createdMs,
    expires: expiresAtMs ?? null,
    revoked: revokedAtMs ?? null,
    lastUsed: lastUsedMs ?? null,
  }
}

function stateOf({ revokedAtMs, expiresAtMs }: KeyRow): string {
  if (revokedAtMs !== undefined) return 'revoked'
  if (expiresAtMs === undefined) return 'valid'
  return expiresAtMs <= Date.now() ? 'expired' : `valid until ${dateOf(expiresAtMs)}`
}

function dateOf(timeMs: number | undefined): string {
  return timeMs === undefined ? '-' : new Date(timeMs).toISOString().slice(0, 16).replace('T', ' ')
}
