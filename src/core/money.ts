/** Money is integer nano-USD everywhere inside: 1 USD = 1e9. Safe integers reach 9 million USD. */
const nanoPerUsd = 1_000_000_000

/** USD as written by people (0.35) -> nano-USD, rounded to the nearest. Throws on NaN, infinity and unsafe sizes. */
export function usdToNano(usd: number): number {
  const nano = Math.round(usd * nanoPerUsd)
  if (!Number.isSafeInteger(nano)) throw new RangeError(`${usd} USD cannot be held exactly in nano-USD`)
  return nano
}

/** Nano-USD -> USD for people and JSON. */
export function nanoToUsd(nano: number): number {
  return nano / nanoPerUsd
}
