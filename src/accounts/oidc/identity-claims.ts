/** Translates a provider's claims about a person, whose shapes differ by provider. Pure. */
import { type IdentityProvider, namedGroups } from '../../core/identity-provider.ts'

/** Person as a provider describes them. */
export interface Identity {
  readonly provider: string
  readonly issuer: string
  /** Id of the person at the provider, for good. */
  readonly subject: string
  /** Mail address, proven to be the person's if `isEmailProven`. */
  readonly email: string | undefined
  readonly isEmailProven: boolean
  readonly name: string
  /** Groups of the person that settings name. `too-many`: the provider sent no groups because there are many. */
  readonly groups: readonly string[] | 'too-many'
  /** Id of the session at the provider, for its sign-out. */
  readonly sessionId: string | undefined
}

export type Claims = Readonly<Record<string, unknown>>

/** Longest id of a person or a session. The standard allows 255 characters for a person. */
const longestId = 255
const longestText = 320
const longestName = 100

/** Returns the identity that claims describe; undefined if they name nobody. */
export function identityOf(claims: Claims, provider: IdentityProvider): Identity | undefined {
  const subject = claims.sub
  if (typeof subject !== 'string' || subject === '' || subject.length > longestId) return undefined
  const email = textOf(claims.email, longestText)
  const sessionId = textOf(claims.sid, longestId)
  return {
    provider: provider.name,
    issuer: provider.issuer,
    subject,
    email,
    isEmailProven: email !== undefined && isProven(claims.email_verified, provider),
    name: nameOf(claims),
    groups: groupsOf(claims, provider),
    sessionId,
  }
}

function nameOf({ name, preferred_username: username }: Claims): string {
  const text = textOf(name, 1_000) ?? textOf(username, 1_000) ?? ''
  return text.replaceAll(/\s+/g, ' ').slice(0, longestName)
}

/** Returns whether the provider's own answer lacks claims that the settings need. */
export function lacksClaims(claims: Claims, provider: IdentityProvider): boolean {
  const needsGroups = namedGroups(provider).size > 0 && valueAt(claims, provider.groupsClaim) === undefined
  return claims.email === undefined || claims.email_verified === undefined || needsGroups
}

/**
 * Joins the claims of the signed token, which win, with others of the same person. An address and whether it is verified
 * are taken from one of both: otherwise the proof of one address would count for another.
 */
export function joinClaims(signed: Claims, others: Claims): Claims {
  const isComplete = signed.email !== undefined && signed.email_verified !== undefined
  const { email, email_verified } = isComplete || others.email === undefined ? signed : others
  return { ...others, ...signed, email, email_verified }
}

/** Some providers send the claim as a string. */
function isProven(claim: unknown, { trustEmail }: IdentityProvider): boolean {
  if (claim === undefined || claim === null) return trustEmail === 'issuer'
  return claim === true || claim === 'true'
}

function groupsOf(claims: Claims, provider: IdentityProvider): Identity['groups'] {
  const named = namedGroups(provider)
  if (named.size === 0) return []
  const value = valueAt(claims, provider.groupsClaim)
  if (value === undefined) return isLeftOut(claims, provider) ? 'too-many' : []
  const values: readonly unknown[] = Array.isArray(value) ? value : [value]
  const groups = new Set(values)
  return [...named].filter((name) => groups.has(name))
}

/** Entra names a claim here that it leaves out of the token, since the person has more than 200 groups. */
function isLeftOut(claims: Claims, { groupsClaim }: IdentityProvider): boolean {
  const { _claim_names: names, hasgroups } = claims
  const [first = ''] = groupsClaim.split('.')
  return (isObject(names) && Object.hasOwn(names, first)) || (first === 'groups' && hasgroups === true)
}

/** Returns the claim with this name, or at this dotted path. */
function valueAt(claims: Claims, path: string): unknown {
  if (Object.hasOwn(claims, path)) return claims[path]
  return path
    .split('.')
    .reduce<unknown>((value, key) => (isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined), claims)
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Returns a claim's text; undefined if it is empty, too long or no text. */
function textOf(claim: unknown, longest: number): string | undefined {
  return typeof claim === 'string' && claim !== '' && claim.length <= longest ? claim : undefined
}
