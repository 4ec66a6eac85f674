/** Amount as readable text. */
interface MoneyText {
  readonly text: string
  /** All digits. Undefined if `text` has them all. */
  readonly exact: string | undefined
}

const shownDecimals = 6

/**
 * Returns $12.40 for `12.4` and $0.000121 for `0.000121`. Cuts after six decimals without rounding up; smaller amounts
 * are "< $0.000001". Throws on text that is not a plain decimal number.
 */
export function moneyText(usd: string): MoneyText {
  const [, sign, whole, fraction = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(usd) ?? []
  if (whole === undefined) throw new Error(`"${usd}" is no amount: this is a bug`)
  const digits = fraction.replace(/0+$/, '')
  if (/^0+$/.test(whole + digits)) return { text: '$0', exact: undefined }
  const minus = sign === '' ? '' : '-'
  const exact = `${minus}$${usd.replace('-', '')}`
  const shown = digits.slice(0, shownDecimals).replace(/0+$/, '')
  if (/^0+$/.test(whole + shown)) return { text: minus === '' ? '< $0.000001' : '> -$0.000001', exact }
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ',')
  const text = `${minus}$${grouped}.${shown.padEnd(2, '0')}`
  return { text, exact: digits.length > shownDecimals ? exact : undefined }
}

/** Returns the number of decimals shown of an amount. */
export function decimalsOf(usd: string): number {
  return moneyText(usd).text.split('.')[1]?.length ?? 0
}

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
