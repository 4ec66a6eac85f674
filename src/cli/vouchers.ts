import { Command } from 'commander'
import { dollars } from '../core/money.ts'
import type { OperationInput } from '../operations/operations.ts'
import { type Columns, count, formatTable, minuteOf, validity } from './format.ts'
import { type Io, jsonLine, printAnswer, wantsJson } from './io.ts'
import { limitOption, newCommand, optionText, wholeNumberOption } from './options.ts'
import { type OperationAnswer, operationTarget, perform, performAndPrint } from './perform.ts'
import { printSecret } from './print-secret.ts'

export function vouchersCommand(io: Io): Command {
  return new Command('vouchers')
    .description('create, list and revoke codes that people redeem for money')
    .addCommand(createCommand(io))
    .addCommand(listCommand(io))
    .addCommand(revokeCommand(io))
}

function createCommand(io: Io): Command {
  const command = newCommand('create', 'make vouchers and print their codes, once')
    .requiredOption('--amount <usd>', 'what each is worth, such as 20 or 0.5')
    .option('--count <n>', 'how many', '1')
    .option('--expires-days <n>', 'days until they are worthless (default: never)')
    .option('--memo <text>', 'what they are for')
  return command.action(async () => {
    const created = await perform(operationTarget(command, io), 'vouchers-create', {
      amount: optionText(command, 'amount') ?? '',
      count: wholeNumberOption(command, 'count') ?? Number.NaN,
      expiresDays: wholeNumberOption(command, 'expiresDays'),
      memo: optionText(command, 'memo'),
    })
    const { vouchers, amountNanoUsd } = created
    const isJson = wantsJson(command)
    await printSecret(io, {
      text: isJson ? jsonLine(created) : vouchers.map(({ code }) => `${code}\n`).join(''),
      name: count(vouchers.length, 'voucher'),
      revoke: async () => {
        for (const { id } of vouchers) await perform(operationTarget(command, io), 'vouchers-revoke', { id })
      },
      revokeCommand: 'inferd vouchers revoke VOUCHER',
    })
    if (!isJson)
      io.error(`${count(vouchers.length, 'voucher')} of ${dollars(amountNanoUsd)} made. Codes are shown this once.\n`)
  })
}

function listCommand(io: Io): Command {
  const command = newCommand('list', 'list vouchers without their codes, the latest first')
  command
    .option('--state <state>', 'only open, redeemed, expired or revoked')
    .option('--limit <n>', 'how many', '100')
    .option('--before <id>', 'only those that were made before this one')
  return command.action(() => {
    // The operation checks the value.
    const state = optionText(command, 'state') as OperationInput<'vouchers-list'>['state']
    const input = { state, limit: limitOption(command), before: optionText(command, 'before') }
    return performAndPrint(command, io, 'vouchers-list', input, (rows) => formatTable(rows, columns))
  })
}

function revokeCommand(io: Io): Command {
  const command = newCommand('revoke', 'make a voucher worthless that nobody has redeemed').argument(
    '<voucher>',
    'its id as listed',
  )
  return command.action(async (id: string) => {
    const revoked = await perform(operationTarget(command, io), 'vouchers-revoke', { id })
    printAnswer(command, io, { revoked: revoked.id }, () => `Voucher ${revoked.id} is worthless from now on.\n`)
  })
}

const columns: Columns<OperationAnswer<'vouchers-list'>[number]> = {
  ID: ({ id }) => id,
  AMOUNT: ({ amountNanoUsd }) => dollars(amountNanoUsd),
  STATE: ({ redeemedMs, revokedMs, expiresAtMs }) => {
    if (redeemedMs !== null) return 'redeemed'
    return revokedMs === null ? validity(expiresAtMs) : 'revoked'
  },
  CREATED: ({ createdMs }) => minuteOf(createdMs),
  'REDEEMED BY': ({ redeemedBy }) => redeemedBy ?? '-',
  MEMO: ({ memo }) => memo ?? '',
}
