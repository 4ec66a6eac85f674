import type { Command } from 'commander'
import { callOperation, operationTarget } from './call-operation.ts'
import type { Io } from './io.ts'
import { dollars, printMoneyJson } from './money.ts'
import { newCommand, optionText, wantsJson } from './options.ts'

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
    const credited = await callOperation(operationTarget(command, io), 'ledger-credit', input)
    if (wantsJson(command)) {
      printMoneyJson(io, credited)
      return
    }
    const { amountNanoUsd, balanceNanoUsd } = credited
    const done = amountNanoUsd > 0 ? `${dollars(amountNanoUsd)} added to` : `${dollars(-amountNanoUsd)} taken from`
    io.out(`${done} ${credited.email ?? credited.account}; its balance is ${dollars(balanceNanoUsd)}.\n`)
  })
}
