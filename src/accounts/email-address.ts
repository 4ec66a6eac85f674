import { domainToASCII } from 'node:url'

export interface EmailAddress {
  /** As it was given, but for the domain: in lower case and ASCII. */
  readonly address: string
  /** What tells two people apart: see `emailKey`. */
  readonly key: string
  /** In lower case and ASCII. */
  readonly domain: string
}

const longestAddress = 254
const localPart = /^(?!\.)(?!.*\.\.)(?!.*\.$)[^\s"(),:;<>@[\\\]\p{Cc}\p{Cf}]{1,64}$/u
const domainName =
  /^(?=.{1,253}$)(?!.*\.\d+$)[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$/

/** A mail address as people write it, undefined for what is none. Quoted local parts and bare IP addresses are not taken. */
export function parseEmail(text: string): EmailAddress | undefined {
  const trimmed = text.trim()
  const at = trimmed.lastIndexOf('@')
  const local = trimmed.slice(0, at)
  const written = trimmed.slice(at + 1)
  // It is read as the host of an address, which would end at one of these, or decode the last.
  const domain = /[/?#\\%\s]/.test(written) ? '' : domainToASCII(written)
  const address = `${local}@${domain}`
  if (at < 1 || address.length > longestAddress || !localPart.test(local) || !domainName.test(domain)) return undefined
  return { address, key: emailKey(local, domain), domain }
}

/**
 * One account per address, whose rules are: upper and lower case are the same, so are ways to encode a letter, and what
 * follows a plus sign before the @ does not count. Dots do: most providers tell them apart.
 */
function emailKey(local: string, domain: string): string {
  const plus = local.indexOf('+')
  return `${(plus > 0 ? local.slice(0, plus) : local).normalize('NFKC').toLowerCase()}@${domain}`
}
