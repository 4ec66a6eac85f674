import { Command } from 'commander'
import { dollars } from '../core/money.ts'
import { type Columns, formatTable, minuteOf } from './format.ts'
import type { Io } from './io.ts'
import { limitOption, newCommand, optionText } from './options.ts'
import { type OperationAnswer, performAndPrint } from './perform.ts'

export function ledgerCommand(io: Io): Command {
  return new Command('ledger')
    .description('list what moved money, and sum it up')
    .addCommand(listCommand(io))
    .addCommand(sumsCommand(io))
}

function listCommand(io: Io): Command {
  const command = newCommand('list', 'list what moved money, the latest first')
    .option('--account <account>', 'only of this account: mail address or id')
    .option('--kind <kind>', 'only signup, credit, starter_credit, voucher, usage or adjustment')
    .option('--limit <n>', 'how many rows', '100')
    .option('--before <id>', 'only those before this one')
  return command.action(() => {
    const [account, before] = [optionText(command, 'account'), optionText(command, 'before')]
    // The operation checks the value.
    const kind = optionText(command, 'kind') as OperationAnswer<'ledger-list'>[number]['kind'] | undefined
    const input = { account, kind, limit: limitOption(command), before }
    return performAndPrint(command, io, 'ledger-list', input, (rows) =>
      formatTable(rows, { ID: ({ id }) => String(id), ACCOUNT: ({ accountId }) => accountId, ...moneyColumns }),
    )
  })
}

export const moneyColumns: Columns<OperationAnswer<'accounts-show'>['ledger'][number]> = {
  TIME: (row) => minuteOf(row.createdMs),
  MONEY: (row) => row.kind,
  AMOUNT: (row) => dollars(row.amountNanoUsd),
  BALANCE: (row) => dollars(row.balanceAfterNanoUsd),
  WHO: (row) => row.actor,
  'WHAT FOR': (row) => row.memo ?? row.requestId ?? row.voucherId ?? '',
}

function sumsCommand(io: Io): Command {
  const command = newCommand('sums', 'show where all the money is, and where it came from')
  return command.action(() => performAndPrint(command, io, 'books-sums', {}, sumsText))
}

function sumsText(sums: OperationAnswer<'books-sums'>): string {
  const rows: readonly (readonly [string, number])[] = [
    ['All balances', sums.balancesNanoUsd],
    ['Held by running requests', sums.heldNanoUsd],
    ['Charged today (UTC)', sums.chargedTodayNanoUsd],
    ['Charged this month (UTC)', sums.chargedThisMonthNanoUsd],
    ['Credited by hand', sums.creditedNanoUsd],
    ['Vouchers redeemed', sums.vouchersRedeemedNanoUsd],
    ['Vouchers open', sums.vouchersOpenNanoUsd],
    ['Starter credits given away', sums.givenAwayNanoUsd],
  ]
  return rows.map(([label, nanoUsd]) => `${label.padEnd(28)}${dollars(nanoUsd)}\n`).join('')
}

export function creditCommand(io: Io): Command {
  const command = newCommand('credit', 'add money to an account, or take some away')
    .argument('<account>', 'mail address or id')
    .argument('<amount>', 'USD, such as 20 or 0.5; -3.25 takes away, of what no request holds')
    .option('--memo <text>', 'why, for the ledger')
    .option('--idempotency-key <key>', 'names this credit: repeated with the same key, it is done once')
  return command.action((account: string, amount: string) => {
    const [memo, idempotencyKey] = [optionText(command, 'memo'), optionText(command, 'idempotencyKey')]
    return performAndPrint(command, io, 'ledger-credit', { account, amount, memo, idempotencyKey }, creditText)
  })
}

function creditText({ account, email, amountNanoUsd, balanceNanoUsd }: OperationAnswer<'ledger-credit'>): string {
  const done = amountNanoUsd > 0 ? `${dollars(amountNanoUsd)} added to` : `${dollars(-amountNanoUsd)} taken from`
  return `${done} ${email ?? account}; its balance is ${dollars(balanceNanoUsd)}.\n`
}
