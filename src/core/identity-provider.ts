import { isLoopback } from './listen-address.ts'

/** Identity provider (OpenID Connect) by which people sign in to the pages. */
export interface IdentityProvider {
  /** Name in the settings file, in addresses and in the database. */
  readonly name: string
  /** Address that the provider calls itself by in its tokens. */
  readonly issuer: string
  readonly clientId: string
  /** Undefined for a public client, which only proves by PKCE that a code is its own. */
  readonly clientSecret: string | undefined
  /** Name on the button. */
  readonly label: string
  readonly scopes: string
  /** Path of certificates (PEM) that are trusted for this provider alone. */
  readonly ca: string | undefined
  readonly groupsClaim: string
  /** Groups whose members may sign in. Undefined admits everybody. */
  readonly allowedGroups: readonly string[] | undefined
  readonly trustEmail: 'verified' | 'issuer'
  /** True to make accounts for people who sign in for the first time. */
  readonly createAccounts: boolean
  readonly sessionHours: number
  /** Days without a sign-in after which a person's keys pause. 0: never. */
  readonly pauseKeysDays: number
  /** Groups that give each role. */
  readonly roles: ReadonlyMap<string, readonly string[]>
  /** Groups whose members belong to each team. */
  readonly teams: ReadonlyMap<string, readonly string[]>
  /** Limits of the accounts of each group's members. */
  readonly limits: ReadonlyMap<string, GroupLimits>
}

/** Limits in the units of `billing/limits.ts`. */
export interface GroupLimits {
  readonly dailyNanoUsd?: number
  readonly monthlyNanoUsd?: number
  readonly requestsPerMinute?: number
  readonly tokensPerMinute?: number
  readonly parallel?: number
  readonly models?: readonly string[]
  readonly endpoints?: readonly string[]
  readonly networks?: readonly string[]
}

/** Returns whether nobody on the way can change answers of a provider's address: https, or this machine. */
export function isSafeAddress(address: string): boolean {
  const url = URL.parse(address)
  return url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url.hostname))
}

/** Returns the groups that some setting of the provider names. */
export function namedGroups({ allowedGroups = [], roles, teams, limits }: IdentityProvider): ReadonlySet<string> {
  return new Set([...allowedGroups, ...[...roles.values(), ...teams.values()].flat(), ...limits.keys()])
}
