import { decimalToNano, mostNanoUsd } from '../core/money.ts'
import { InputError } from './errors.ts'

/** An exact amount other than 0, from decimal text. Throws InputError naming `what`. */
export function parseUsd(
  what: string,
  text: string,
  { isNegativeAllowed }: { readonly isNegativeAllowed: boolean },
): number {
  const nanoUsd = decimalToNano(text)
  const isFit = nanoUsd !== undefined && nanoUsd !== 0 && Math.abs(nanoUsd) <= mostNanoUsd
  if (isFit && (isNegativeAllowed || nanoUsd > 0)) return nanoUsd
  const examples = isNegativeAllowed ? '20, 0.5 or -3.25' : '20 or 0.5'
  throw new InputError(`${what} must be USD such as ${examples}, exact to 9 decimals and not 0, not "${text}"`)
}
