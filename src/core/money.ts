/** Money is integer nano-USD everywhere inside: 1 USD = 1e9. Safe integers reach 9 million USD. */
const nanoPerUsd = 1_000_000_000
const decimals = 9

/**
 * Converts USD as written by people (0.35) to nano-USD, rounded to the nearest. Throws on NaN, infinity and unsafe
 * sizes.
 */
export function usdToNano(usd: number): number {
  const nano = Math.round(usd * nanoPerUsd)
  if (!Number.isSafeInteger(nano)) throw new RangeError(`${usd} USD cannot be held exactly in nano-USD`)
  return nano
}

/** Converts nano-USD to the nearest USD for JSON numbers, exact below 9 million USD. */
export function nanoToUsd(nano: number): number {
  return nano / nanoPerUsd
}

/** Converts nano-USD to exact decimal text in USD: 1234500000 is `1.2345`, 20000000000 is `20`, 0 is `0`. */
export function nanoToDecimal(nano: number): string {
  const digits = String(Math.abs(nano)).padStart(decimals + 1, '0')
  const fraction = digits.slice(-decimals).replace(/0+$/, '')
  return `${nano < 0 ? '-' : ''}${digits.slice(0, -decimals)}${fraction === '' ? '' : `.${fraction}`}`
}

/** Returns exact text for people: `$1.25`, `-$0.000000001`. */
export function dollars(nanoUsd: number): string {
  return nanoUsd < 0 ? `-$${nanoToDecimal(-nanoUsd)}` : `$${nanoToDecimal(nanoUsd)}`
}

/**
 * Converts decimal text in USD (`20`, `0.5`, `-3.25`) to exact nano-USD. Undefined if it is not a plain decimal number,
 * finer than a nano-USD, or too large to be held exactly.
 */
export function decimalToNano(text: string): number | undefined {
  const match = /^(-?)(\d{1,10})(?:\.(\d{1,9}))?$/.exec(text)
  if (match === null) return undefined
  const [, sign, whole, fraction = ''] = match
  const nano = Number(`${whole}${fraction.padEnd(decimals, '0')}`)
  if (!Number.isSafeInteger(nano)) return undefined
  return sign === '-' && nano !== 0 ? -nano : nano
}

/** Highest balance of an account, well within exact integers of nano-USD. */
export const maximumNanoUsd = 5_000_000_000_000_000
