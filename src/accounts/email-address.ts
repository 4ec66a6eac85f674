import { domainToASCII } from 'node:url'

export interface EmailAddress {
  /** As it was given, but for the domain: in lower case and ASCII. */
  readonly address: string
  /** What tells two people apart: see `comparedLocal`. */
  readonly key: string
  /** In lower case and ASCII. */
  readonly domain: string
}

const longestAddress = 254
const localPart = /^(?!\.)(?!.*\.\.)(?!.*\.$)[^\s"(),:;<>@[\\\]\p{Cc}\p{Cf}]{1,64}$/u
/** Characters that nobody sees and that NFKC keeps. */
const invisible = /\p{Default_Ignorable_Code_Point}/u
const domainName =
  /^(?=.{1,253}$)(?!.*\.\d+$)[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$/

/**
 * Reads the address of an account that may exist; undefined where it is not one. Quoted local parts and bare IP addresses
 * are not accepted.
 */
export function parseEmail(text: string): EmailAddress | undefined {
  const trimmed = text.trim()
  const at = trimmed.lastIndexOf('@')
  const local = trimmed.slice(0, at)
  const domain = asciiDomain(trimmed.slice(at + 1))
  const address = `${local}@${domain}`
  // Half a surrogate pair would be stored as another character.
  if (at < 1 || !local.isWellFormed() || address.length > longestAddress) return undefined
  if (!localPart.test(local) || !domainName.test(domain)) return undefined
  return { address, key: `${comparedLocal(local)}@${domain}`, domain }
}

/**
 * Reads the address of a new account, by stricter rules: its domain has at least two labels, and its local part is valid
 * also in the form in which it is compared and has no invisible characters.
 */
export function parseNewEmail(text: string): EmailAddress | undefined {
  const email = parseEmail(text)
  if (email === undefined || !email.domain.includes('.')) return undefined
  const compared = email.key.slice(0, email.key.lastIndexOf('@'))
  return localPart.test(compared) && !invisible.test(email.address) ? email : undefined
}

/** In lower case, without the final dot of a name written in full; empty where there is none. */
function asciiDomain(written: string): string {
  // `domainToASCII` ends the host at one of these, or decodes the percent sign.
  if (/[/?#\\%\s]/.test(written)) return ''
  return domainToASCII(written).replace(/\.$/, '')
}

/**
 * One account per address, whose rules are: ways to encode a letter are the same (NFKC), so are upper and lower case, and
 * what follows a plus sign before the @ does not count. Dots do: most providers tell them apart.
 */
function comparedLocal(local: string): string {
  const folded = local.normalize('NFKC').toLowerCase().normalize('NFKC')
  const plus = folded.indexOf('+')
  return plus > 0 ? folded.slice(0, plus) : folded
}
