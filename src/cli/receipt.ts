import type { Command } from 'commander'
import { dollars } from '../core/money.ts'
import { count, secondOf } from './format.ts'
import type { Io } from './io.ts'
import { newCommand } from './options.ts'
import { type OperationAnswer, performAndPrint } from './perform.ts'

type Receipt = OperationAnswer<'usage-receipt'>

export function receiptCommand(io: Io): Command {
  const command = newCommand('receipt', 'show what one request used and cost').argument(
    '<request>',
    'its id: x-request-id of the answer',
  )
  return command.action((request: string) => performAndPrint(command, io, 'usage-receipt', { request }, receiptText))
}

function receiptText(receipt: Receipt): string {
  const { costNanoUsd, chargedNanoUsd, balanceAfterNanoUsd, finish, queuedMs, loadingMs, runningMs } = receipt
  const ms = (value: number | null | undefined) => (typeof value === 'number' ? `${value} ms` : '-')
  const rows: readonly (readonly [string, string])[] = [
    ['Request', receipt.requestId],
    ['Time', `${secondOf(receipt.createdMs)} UTC`],
    ['Account', receipt.email === null ? receipt.accountId : `${receipt.accountId}, ${receipt.email}`],
    ['Key', receipt.keyId],
    ['Endpoint', receipt.endpoint],
    ['Model', receipt.model],
    ['Ended', finish],
    ...[...usedLines(receipt), ...searchLines(receipt)].map(
      (line, index) => [index === 0 ? 'Used' : '', line] as const,
    ),
    ...(receipt.isEstimated ? [['', 'estimated: no engine counted it'] as const] : []),
    ['Cost', dollars(costNanoUsd)],
    [
      'Charged',
      chargedNanoUsd === costNanoUsd ? dollars(chargedNanoUsd) : `${dollars(chargedNanoUsd)}${freeReason(receipt)}`,
    ],
    ['Balance', balanceAfterNanoUsd === null ? 'as before' : `${dollars(balanceAfterNanoUsd)} afterwards`],
    ['Waited', `${ms(queuedMs)} for its turn, ${ms(loadingMs)} for the model to load`],
    ['Ran', ms(runningMs)],
  ]
  return rows.map(([label, value]) => `${label.padEnd(10)}${value}\n`).join('')
}

function freeReason({ finish }: Receipt): string {
  return finish === 'failed' ? ' (our fault is not charged)' : ' (the account is unmetered)'
}

function searchLines({ used: { searches }, pricing: { searchNanoUsd } }: Receipt): string[] {
  if (typeof searches !== 'number') return []
  return [`${searches} web ${searches === 1 ? 'search' : 'searches'} at ${dollars(searchNanoUsd ?? 0)} each`]
}

/** Returns lines with each counted amount and its price. */
function usedLines({ used, pricing }: Receipt): string[] {
  const { inputNanoUsd, cachedInputNanoUsd, outputNanoUsd, priceNanoUsd, unit } = pricing
  const per = { '1M_tokens': '1M tokens', '1M_characters': '1M characters', minute: 'minute', image: 'picture' }[unit]
  const priced = (what: string, price: number | null | undefined) => `${what} at ${dollars(price ?? 0)} per ${per}`
  if (unit === 'minute') return [priced(`${used.audioMs / 1000} s of audio`, priceNanoUsd)]
  if (unit === 'image') return [priced(count(used.images, 'picture'), priceNanoUsd)]
  if (unit === '1M_characters') return [priced(count(used.characters, 'character'), priceNanoUsd)]
  if (typeof priceNanoUsd === 'number') return [priced(count(used.promptTokens, 'token'), priceNanoUsd)]
  const reasoning = used.reasoningTokens === 0 ? '' : `, ${used.reasoningTokens} of them reasoning,`
  return [
    priced(count(used.promptTokens - used.cachedTokens, 'input token'), inputNanoUsd),
    ...(used.cachedTokens === 0
      ? []
      : [priced(count(used.cachedTokens, 'cached input token'), cachedInputNanoUsd ?? inputNanoUsd)]),
    priced(`${count(used.completionTokens, 'output token')}${reasoning}`, outputNanoUsd),
  ]
}
