import type { Command } from 'commander'
import { dollars } from '../core/money.ts'
import { type OperationAnswer, report } from './call-operation.ts'
import type { Io } from './io.ts'
import { newCommand, optionText } from './options.ts'

export function creditCommand(io: Io): Command {
  const command = newCommand('credit', 'add money to an account, or take some away')
    .argument('<account>', 'mail address or id')
    .argument('<amount>', 'USD, such as 20 or 0.5; -3.25 takes away, of what no request holds')
    .option('--memo <text>', 'why, for the ledger')
    .option('--idempotency-key <key>', 'names this credit: repeated with the same key, it is done once')
  return command.action((account: string, amount: string) => {
    const [memo, idempotencyKey] = [optionText(command, 'memo'), optionText(command, 'idempotencyKey')]
    return report(command, io, 'ledger-credit', { account, amount, memo, idempotencyKey }, creditText)
  })
}

function creditText({ account, email, amountNanoUsd, balanceNanoUsd }: OperationAnswer<'ledger-credit'>): string {
  const done = amountNanoUsd > 0 ? `${dollars(amountNanoUsd)} added to` : `${dollars(-amountNanoUsd)} taken from`
  return `${done} ${email ?? account}; its balance is ${dollars(balanceNanoUsd)}.\n`
}
