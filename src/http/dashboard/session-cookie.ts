/**
 * Name of the cookie at https addresses. Its prefix makes browsers refuse one that another host or an insecure page
 * sets.
 */
export const secureName = '__Host-inferd_session'
export const plainName = 'inferd_session'
const secondsPerDay = 24 * 60 * 60

/**
 * Returns the session's secret from a request's cookies. At an https address only the cookie counts that other hosts
 * cannot set.
 */
export function readSessionCookie(header: string | null, isSecureHost: boolean): string | undefined {
  const cookies = (header ?? '').split(/;\s*/).map((cookie) => cookie.split('='))
  const names = isSecureHost ? [secureName] : [secureName, plainName]
  const values = names.map((wanted) => cookies.find(([name]) => name === wanted)?.[1])
  return values.find((value) => value !== undefined && value !== '')
}

/**
 * Returns the cookie's header for a page at `origin`, for `days` days. Browsers send it over https alone if the page
 * came over https.
 */
export function sessionCookie(secret: string, { origin, days }: { origin: string; days: number }): string {
  const isSecure = origin.startsWith('https:')
  const name = isSecure ? secureName : plainName
  return `${name}=${secret}; Path=/; HttpOnly; SameSite=Lax; Max-Age=${days * secondsPerDay}${isSecure ? '; Secure' : ''}`
}

const secureSignInName = '__Host-inferd_oidc'
const plainSignInName = 'inferd_oidc'
/** Longest time of a sign-in at an identity provider. */
const signInSeconds = 600

/** Returns the secret of the browser that began a sign-in at an identity provider; undefined without a valid one. */
export function readSignInCookie(header: string | null, isSecureHost: boolean): string | undefined {
  const name = isSecureHost ? secureSignInName : plainSignInName
  return new RegExp(`(?:^|; *)${name}=(\\w{43})(?:;|$)`).exec(header ?? '')?.[1]
}

/** Returns the header of that cookie. Browsers send it when the provider leads back to this server. */
export function signInCookie(secret: string, origin: string): string {
  const isSecure = origin.startsWith('https:')
  const name = isSecure ? secureSignInName : plainSignInName
  return `${name}=${secret}; Path=/; HttpOnly; SameSite=Lax; Max-Age=${signInSeconds}${isSecure ? '; Secure' : ''}`
}

/** Returns the headers that delete the cookie under both names. */
export function expiredSessionCookies(): string[] {
  return [
    `${plainName}=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0`,
    `${secureName}=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0; Secure`,
  ]
}
