import { texts } from '../../texts/texts.ts'
import { moneyText } from '../money-text.ts'
import type { PlayModel } from './play-models.ts'

/** Returns "$0.08 in, $0.35 out per 1M tokens", or that the operator has set no price. */
export function priceText({ pricing }: Pick<PlayModel, 'pricing'>): string {
  if (pricing === undefined) return texts.play.noPrice
  const { input, output, price, unit } = pricing
  const per = texts.play.units[unit]
  const amounts = [input, output, price].filter((usd) => usd !== undefined)
  if (amounts.every((usd) => usd === 0)) return texts.play.free
  if (price !== undefined) return texts.play.onePrice(toText(price), per)
  if (input === undefined || output === undefined) return texts.play.onePrice(toText(input ?? output ?? 0), per)
  return texts.play.twoPrices(toText(input), toText(output), per)
}

/** Prices have at most nine decimals. */
function toText(usd: number): string {
  return moneyText(usd.toFixed(9)).text
}
