/** Sums of exact decimal USD, for a dialog's preview of the result. */
const decimals = 9

/** Returns nano-USD of decimal text; undefined unless it is an amount with at most nine decimals. */
export function toNano(usd: string): bigint | undefined {
  const [, sign, whole, fraction = ''] = /^([-+]?)(\d{1,12})(?:\.(\d{1,9}))?$/.exec(usd.trim()) ?? []
  if (whole === undefined) return undefined
  const nano = BigInt(whole + fraction.padEnd(decimals, '0'))
  return sign === '-' ? -nano : nano
}

/** Returns decimal text of nano-USD. */
export function toUsd(nano: bigint): string {
  const digits = String(nano < 0n ? -nano : nano).padStart(decimals + 1, '0')
  return `${nano < 0n ? '-' : ''}${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`
}
