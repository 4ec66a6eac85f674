/** Requests to one identity provider, by a certified library. Nothing is asked before the first sign-in. */
import type { Configuration } from 'openid-client'
import { minuteMs } from '../../core/durations.ts'
import { type IdentityProvider, isSafeAddress } from '../../core/identity-provider.ts'
import { type Claims, type Identity, identityOf, joinClaims, lacksClaims } from './identity-claims.ts'
import { type LogoutToken, LogoutTokens } from './logout-tokens.ts'
import type { PendingSignIn } from './pending-sign-ins.ts'
import { ProviderError, toProviderError } from './provider-error.ts'
import { providerFetch } from './provider-fetch.ts'

// Loaded at the first sign-in, which many servers never see.
const library = () => import('openid-client')

type Metadata = ReturnType<Configuration['serverMetadata']>

/** Time for which a provider's description is used without asking again. */
const describedMs = 5 * minuteMs
const timeoutSeconds = 10
/** Difference of clocks that tokens may have. */
const clockToleranceSeconds = 60

const neededEndpoints = ['authorization_endpoint', 'token_endpoint', 'jwks_uri'] as const
const usedEndpoints = [...neededEndpoints, 'userinfo_endpoint', 'end_session_endpoint'] as const

export interface ProviderClientOptions {
  readonly provider: IdentityProvider
  /** Certificates (PEM) to trust in place of the usual ones. */
  readonly ca: string | undefined
  readonly monotonicMs: () => number
}

export class ProviderClient {
  readonly provider: IdentityProvider
  readonly #fetch: ReturnType<typeof providerFetch>
  readonly #monotonicMs: () => number
  readonly #logoutTokens: LogoutTokens
  #described: { readonly metadata: Promise<Metadata>; readonly askedMs: number } | undefined

  constructor({ provider, ca, monotonicMs }: ProviderClientOptions) {
    this.provider = provider
    this.#fetch = providerFetch(ca)
    this.#monotonicMs = monotonicMs
    this.#logoutTokens = new LogoutTokens(provider, this.#fetch, monotonicMs)
  }

  /** Returns the provider's address that asks the person to sign in. Rejects with ProviderError. */
  async signInUrl(state: string, pending: PendingSignIn, redirectUri: string): Promise<string> {
    const { buildAuthorizationUrl, calculatePKCECodeChallenge } = await library()
    const parameters = {
      redirect_uri: redirectUri,
      scope: this.provider.scopes,
      state,
      nonce: pending.nonce,
      code_challenge: await calculatePKCECodeChallenge(pending.codeVerifier),
      code_challenge_method: 'S256',
      ...(pending.isSilent && { prompt: 'none' }),
      // Whoever is signed in at the provider may have been signed in there by another page.
      ...(pending.linkTo !== undefined && { prompt: 'login' }),
    }
    try {
      return buildAuthorizationUrl(await this.#configuration(), parameters).href
    } catch (error) {
      throw toProviderError(error, this.provider.label)
    }
  }

  /** Exchanges the code in `url`, the address that the provider sent the browser to. Rejects with ProviderError. */
  async identity(url: URL, state: string, { nonce, codeVerifier }: PendingSignIn): Promise<Identity> {
    const { authorizationCodeGrant, fetchUserInfo } = await library()
    try {
      const configuration = await this.#configuration()
      const checks = {
        pkceCodeVerifier: codeVerifier,
        expectedState: state,
        expectedNonce: nonce,
        idTokenExpected: true,
      }
      const tokens = await authorizationCodeGrant(configuration, url, checks)
      const claims: Claims = { ...tokens.claims() }
      const endpoint = configuration.serverMetadata().userinfo_endpoint
      const hasMore = lacksClaims(claims, this.provider) && endpoint !== undefined && typeof claims.sub === 'string'
      const more = hasMore ? await fetchUserInfo(configuration, tokens.access_token, String(claims.sub)) : {}
      const identity = identityOf(joinClaims(claims, more), this.provider)
      if (identity !== undefined) return identity
      throw new ProviderError({ code: 'oidc_refused', provider: this.provider.label, reason: 'no subject' })
    } catch (error) {
      throw toProviderError(error, this.provider.label)
    }
  }

  /** Returns the provider's address that ends its session and returns to `back`. Undefined if there is none. */
  async signOutUrl(back: string): Promise<string | undefined> {
    const { buildEndSessionUrl } = await library()
    const configuration = await this.#configuration()
    if (configuration.serverMetadata().end_session_endpoint === undefined) return undefined
    return buildEndSessionUrl(configuration, { post_logout_redirect_uri: back }).href
  }

  /** Checks a logout token that somebody sent. Rejects with ProviderError. */
  async readLogoutToken(token: string): Promise<LogoutToken> {
    try {
      return await this.#logoutTokens.read(token, async () => String((await this.#metadata()).jwks_uri))
    } catch (error) {
      throw toProviderError(error, this.provider.label)
    }
  }

  /** Asks for the provider's description. Rejects with ProviderError. */
  async check(): Promise<void> {
    await this.#metadata()
  }

  /** Returns a new configuration, whose keys are fetched anew: the provider may have changed them since. */
  async #configuration(): Promise<Configuration> {
    const { ClientSecretBasic, ClientSecretPost, Configuration, None, ...openid } = await library()
    const metadata = await this.#metadata()
    const { clientId, clientSecret } = this.provider
    const isBasic = metadata.token_endpoint_auth_methods_supported?.includes('client_secret_basic') !== false
    const authentication =
      clientSecret === undefined ? None() : (isBasic ? ClientSecretBasic : ClientSecretPost)(clientSecret)
    const client = { [openid.clockTolerance]: clockToleranceSeconds }
    const configuration = new Configuration(metadata, clientId, client, authentication)
    configuration[openid.customFetch] = this.#fetch
    configuration.timeout = timeoutSeconds
    for (const enable of this.#extensions(openid)) enable(configuration)
    return configuration
  }

  #extensions(
    openid: Pick<Awaited<ReturnType<typeof library>>, 'allowInsecureRequests' | 'enableNonRepudiationChecks'>,
  ) {
    const isInsecure = this.provider.issuer.startsWith('http:')
    return [openid.enableNonRepudiationChecks, ...(isInsecure ? [openid.allowInsecureRequests] : [])]
  }

  /** Returns the provider's description, asked for once in five minutes however many sign in. */
  #metadata(): Promise<Metadata> {
    const now = this.#monotonicMs()
    if (this.#described !== undefined && now - this.#described.askedMs < describedMs) return this.#described.metadata
    const described = { metadata: this.#discover(), askedMs: now }
    this.#described = described
    described.metadata.catch(() => {
      if (this.#described === described) this.#described = undefined
    })
    return described.metadata
  }

  async #discover(): Promise<Metadata> {
    const { customFetch, discovery, ...openid } = await library()
    const { issuer, clientId, label } = this.provider
    try {
      const configuration = await discovery(new URL(issuer), clientId, undefined, undefined, {
        [customFetch]: this.#fetch,
        timeout: timeoutSeconds,
        execute: this.#extensions(openid),
      })
      const metadata = configuration.serverMetadata()
      const missing = neededEndpoints.find((name) => metadata[name] === undefined)
      const unsafe = usedEndpoints.find((name) => !isSafeAddress(metadata[name] ?? this.provider.issuer))
      if (missing === undefined && unsafe === undefined) return metadata
      const reason = missing === undefined ? `an unsafe ${unsafe}` : `no ${missing}`
      throw new ProviderError({ code: 'oidc_unavailable', provider: label, reason })
    } catch (error) {
      const { problem } = toProviderError(error, label)
      const reason = 'reason' in problem ? problem.reason : problem.code
      throw new ProviderError({ code: 'oidc_unavailable', provider: label, reason }, error)
    }
  }
}
