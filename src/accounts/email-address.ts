import { domainToASCII } from 'node:url'

export interface EmailAddress {
  /** Address as given, with the domain in lower case and ASCII. */
  readonly address: string
  /** Comparison key. Addresses with equal keys are the same: see `comparedLocal`. */
  readonly key: string
  /** Domain in lower case and ASCII. */
  readonly domain: string
}

const maximumLength = 254
const localPart = /^(?!\.)(?!.*\.\.)(?!.*\.$)[^\s"(),:;<>@[\\\]\p{Cc}\p{Cf}]{1,64}$/u
/** Invisible characters that NFKC keeps. */
const invisible = /\p{Default_Ignorable_Code_Point}/u
const domainName =
  /^(?=.{1,253}$)(?!.*\.\d+$)[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$/

/**
 * Parses the address of an account that may exist; undefined if invalid. Quoted local parts and bare IP addresses are
 * not accepted.
 */
export function parseEmail(text: string): EmailAddress | undefined {
  const trimmed = text.trim()
  const at = trimmed.lastIndexOf('@')
  const local = trimmed.slice(0, at)
  const domain = asciiDomain(trimmed.slice(at + 1))
  const address = `${local}@${domain}`
  // Half a surrogate pair would be stored as another character.
  if (at < 1 || !local.isWellFormed() || address.length > maximumLength) return undefined
  if (!localPart.test(local) || !domainName.test(domain)) return undefined
  return { address, key: `${comparedLocal(local)}@${domain}`, domain }
}

/**
 * Parses the address of a new account by stricter rules: its domain has at least two labels, and its local part has no
 * invisible characters and is valid in its compared form too.
 */
export function parseNewEmail(text: string): EmailAddress | undefined {
  const email = parseEmail(text)
  if (email === undefined || !email.domain.includes('.')) return undefined
  const compared = email.key.slice(0, email.key.lastIndexOf('@'))
  return localPart.test(compared) && !invisible.test(email.address) ? email : undefined
}

/**
 * Returns whether two addresses reach the same mailbox everywhere: they differ at most in the case of A to Z. Equal keys
 * do not prove this, since some mail servers tell apart what keys leave out.
 */
export function isSameMailbox(one: string, other: string): boolean {
  const folded = [one, other].map((address) => address.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase()))
  return folded[0] === folded[1]
}

/** Returns the domain in lower case without the final dot of a full name; empty if invalid. */
function asciiDomain(written: string): string {
  // `domainToASCII` would end the host at these characters, or decode the percent sign.
  if (/[/?#\\%\s]/.test(written)) return ''
  return domainToASCII(written).replace(/\.$/, '')
}

/**
 * Returns the local part in the form that is compared, so that one address has one account: NFKC, lower case, without a
 * plus sign and the text after it. Dots stay, since most providers tell them apart.
 */
function comparedLocal(local: string): string {
  const folded = local.normalize('NFKC').toLowerCase().normalize('NFKC')
  const plus = folded.indexOf('+')
  return plus > 0 ? folded.slice(0, plus) : folded
}

/**
 * Returns whether a domain, or one above it, is on the shipped list of throwaway addresses or on the operator's list.
 */
export async function isDisposable(domain: string, blocked: readonly string[]): Promise<boolean> {
  shippedList ??= import('disposable-email-domains-js').then((module) => module.disposableEmailBlocklistSet())
  const list = await shippedList
  const labels = domain.split('.')
  // a.b.example.org, b.example.org, example.org
  const names = labels.map((_, index) => labels.slice(index).join('.'))
  return names.some((name) => list.has(name) || blocked.includes(name))
}

/** Shipped list. Loaded at the first signup, which some servers never see. */
let shippedList: Promise<ReadonlySet<string>> | undefined
