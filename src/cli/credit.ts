import type { Command } from 'commander'
import { type OperationAnswer, perform } from './call-operation.ts'
import { dollars } from './format.ts'
import type { Io } from './io.ts'
import { newCommand, optionText } from './options.ts'
import { printAnswer } from './print-answer.ts'

type Credited = OperationAnswer<'ledger-credit'>

export function creditCommand(io: Io): Command {
  const command = newCommand('credit', 'add money to an account, or take some away')
    .argument('<account>', 'mail address or id')
    .argument('<amount>', 'USD, such as 20 or 0.5; -3.25 takes away, of what no request holds')
    .option('--memo <text>', 'why, for the ledger')
    .option('--idempotency-key <key>', 'names this credit: repeated with the same key, it is done once')
  return command.action(async (account: string, amount: string) => {
    const memo = optionText(command, 'memo')
    const idempotencyKey = optionText(command, 'idempotencyKey')
    const input = { account, amount, memo, idempotencyKey }
    const credited = await perform(command, io, 'ledger-credit', input)
    printAnswer(command, io, credited, creditText)
  })
}

function creditText({ account, email, amountNanoUsd, balanceNanoUsd }: Credited): string {
  const done = amountNanoUsd > 0 ? `${dollars(amountNanoUsd)} added to` : `${dollars(-amountNanoUsd)} taken from`
  return `${done} ${email ?? account}; its balance is ${dollars(balanceNanoUsd)}.\n`
}
