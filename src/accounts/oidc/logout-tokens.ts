import type { FetchImplementation, JWTVerifyGetKey } from 'jose'
import type { CustomFetch } from 'openid-client'
import { minuteMs } from '../../core/durations.ts'
import type { IdentityProvider } from '../../core/identity-provider.ts'
import { ProviderError } from './provider-error.ts'

/** Sessions at the provider that have ended: one, or all of a person. */
export interface LogoutToken {
  readonly subject: string | undefined
  readonly sessionId: string | undefined
}

const library = () => import('jose')

const eventName = 'http://schemas.openid.net/event/backchannel-logout'
const maximumAgeSeconds = 120
const clockToleranceSeconds = 60
/** Longest token that is looked at. */
const longestToken = 16_384
/** Most ids of used tokens, which bounds memory. */
const maximumUsed = 10_000
/** Signatures by a private key of the provider. Neither none nor the client's secret signs out. */
const algorithms = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519']

/** Checks logout tokens of a provider, each for one use. */
export class LogoutTokens {
  readonly #provider: IdentityProvider
  readonly #fetch: CustomFetch
  readonly #monotonicMs: () => number
  /** Times of use by the id of the token, in order. */
  readonly #used = new Map<string, number>()
  #keys: { readonly url: string; readonly get: JWTVerifyGetKey } | undefined

  constructor(provider: IdentityProvider, fetch: CustomFetch, monotonicMs: () => number) {
    this.#provider = provider
    this.#fetch = fetch
    this.#monotonicMs = monotonicMs
  }

  /** Returns what a token ends. `keysUrl`: returns the address of the provider's keys. Rejects with ProviderError. */
  async read(token: string, keysUrl: () => Promise<string>): Promise<LogoutToken> {
    const { decodeJwt, errors, jwtVerify } = await library()
    if (token.length > longestToken) throw this.#refused('too long')
    const rules = {
      issuer: this.#provider.issuer,
      audience: this.#provider.clientId,
      maxTokenAge: maximumAgeSeconds,
      clockTolerance: clockToleranceSeconds,
      requiredClaims: ['iat', 'jti'],
      algorithms,
    }
    try {
      // Most strangers' tokens end here, before the provider is asked for its keys.
      const { iss, aud } = decodeJwt(token)
      if (iss !== rules.issuer || ![aud].flat().includes(rules.audience))
        throw this.#refused('another issuer or client')
      const { payload } = await jwtVerify(token, await this.#keysAt(await keysUrl()), rules)
      const { jti, sub, sid, events, nonce } = payload
      if (nonce !== undefined || !hasEvent(events)) throw this.#refused('no logout token')
      if (typeof jti !== 'string' || (sub === undefined && typeof sid !== 'string')) throw this.#refused('incomplete')
      this.#useOnce(jti)
      return { subject: sub, sessionId: typeof sid === 'string' ? sid : undefined }
    } catch (error) {
      const isFetchError = !(error instanceof errors.JOSEError) || error instanceof errors.JWKSTimeout
      if (error instanceof ProviderError || isFetchError) throw error
      throw this.#refused(error.code)
    }
  }

  async #keysAt(url: string): Promise<JWTVerifyGetKey> {
    if (this.#keys?.url === url) return this.#keys.get
    const { createRemoteJWKSet, customFetch } = await library()
    const ask: FetchImplementation = (address, { headers, ...options }) =>
      this.#fetch(address, { ...options, body: undefined, headers: Object.fromEntries(headers) })
    const get = createRemoteJWKSet(new URL(url), { [customFetch]: ask })
    this.#keys = { url, get }
    return get
  }

  #useOnce(id: string): void {
    const now = this.#monotonicMs()
    // A token lives at most three minutes, the difference of clocks included.
    for (const [other, usedMs] of this.#used) {
      if (now - usedMs < 5 * minuteMs && this.#used.size < maximumUsed) break
      this.#used.delete(other)
    }
    if (this.#used.has(id)) throw this.#refused('used before')
    this.#used.set(id, now)
  }

  #refused(reason: string): ProviderError {
    return new ProviderError({ code: 'oidc_logout_refused', provider: this.#provider.label, reason })
  }
}

function hasEvent(events: unknown): boolean {
  const event: unknown = Object(events)[eventName]
  return typeof event === 'object' && event !== null
}
