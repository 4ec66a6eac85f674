import { texts } from '../../texts/texts.ts'
import { moneyText } from '../money-text.ts'
import { outputMs, type ReceiptFigures } from './receipt.ts'

/** Returns the most wanted figures in few words, such as "24 tokens, 280/s, $0.00001". */
export function shortFigures(receipt: ReceiptFigures, usd: string): string {
  const { completionTokens } = receipt.used
  const rate = tokenRate(receipt)
  const parts = [
    completionTokens === 0 ? undefined : texts.play.tokens(completionTokens),
    rate === undefined ? undefined : texts.play.rate(rate),
    /^[0.]+$/.test(usd) ? undefined : moneyText(usd).text,
  ]
  return parts.filter((part) => part !== undefined).join(', ')
}

/** Returns tokens per second as text; undefined over a few tokens or milliseconds, where a rate is meaningless. */
export function tokenRate(receipt: ReceiptFigures): string | undefined {
  const ms = outputMs(receipt)
  const count = receipt.used.completionTokens
  if (ms === undefined || ms < 20 || count < 2) return undefined
  const rate = (count * 1_000) / ms
  return rate < 10 ? rate.toFixed(1) : Math.round(rate).toLocaleString('en')
}
