/** Money is integer nano-USD everywhere inside: 1 USD = 1e9. Safe integers reach 9 million USD. */
const nanoPerUsd = 1_000_000_000
const decimals = 9

/** USD as written by people (0.35) -> nano-USD, rounded to the nearest. Throws on NaN, infinity and unsafe sizes. */
export function usdToNano(usd: number): number {
  const nano = Math.round(usd * nanoPerUsd)
  if (!Number.isSafeInteger(nano)) throw new RangeError(`${usd} USD cannot be held exactly in nano-USD`)
  return nano
}

/** Nano-USD -> USD for JSON numbers: the nearest there is, exact to the nano-USD below 9 million USD. */
export function nanoToUsd(nano: number): number {
  return nano / nanoPerUsd
}

/** Nano-USD -> USD as decimal text, exact: 1234500000 is `1.2345`, 20000000000 is `20`, 0 is `0`. */
export function nanoToDecimal(nano: number): string {
  const digits = String(Math.abs(nano)).padStart(decimals + 1, '0')
  const fraction = digits.slice(-decimals).replace(/0+$/, '')
  return `${nano < 0 ? '-' : ''}${digits.slice(0, -decimals)}${fraction === '' ? '' : `.${fraction}`}`
}

/** For people, exact: `$1.25`, `-$0.000000001`. */
export function dollars(nanoUsd: number): string {
  return nanoUsd < 0 ? `-$${nanoToDecimal(-nanoUsd)}` : `$${nanoToDecimal(nanoUsd)}`
}

/**
 * USD as decimal text (`20`, `0.5`, `-3.25`) -> nano-USD, exact. Undefined for what is not a plain decimal number, is finer
 * than a nano-USD, or larger than can be held exactly.
 */
export function decimalToNano(text: string): number | undefined {
  const match = /^(-?)(\d{1,10})(?:\.(\d{1,9}))?$/.exec(text)
  if (match === null) return undefined
  const [, sign, whole, fraction = ''] = match
  const nano = Number(`${whole}${fraction.padEnd(decimals, '0')}`)
  if (!Number.isSafeInteger(nano)) return undefined
  return sign === '-' && nano !== 0 ? -nano : nano
}

/** What one account may have: well within what integers of nano-USD hold exactly. */
export const maximumNanoUsd = 5_000_000_000_000_000
