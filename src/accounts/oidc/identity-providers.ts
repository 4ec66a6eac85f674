/** Identity providers of this server: sign-ins that go to them and come back. */
import type { IdentityProvider } from '../../core/identity-provider.ts'
import { type NewId, newId } from '../../core/ids.ts'
import type { Identity } from './identity-claims.ts'
import type { LogoutToken } from './logout-tokens.ts'
import { PendingSignIns } from './pending-sign-ins.ts'
import { ProviderClient } from './provider-client.ts'
import { ProviderError } from './provider-error.ts'

interface IdentityProvidersOptions {
  readonly providers: ReadonlyMap<string, IdentityProvider>
  /** Returns the certificates (PEM) of a provider's setting `ca`. */
  readonly readCa: (path: string) => string
  readonly monotonicMs?: () => number
  readonly newId?: NewId
}

/** Sign-in that begins. */
export interface BeginningSignIn {
  /** Address of this server that the provider sends the browser back to. */
  readonly redirectUri: string
  readonly to: string
  /** Secret in the browser's cookie. */
  readonly browser: string
  readonly network: string
  readonly isSilent: boolean
  readonly linkTo: string | undefined
}

/** Sign-in that came back from a provider. */
export interface ReturnedSignIn {
  readonly provider: string
  /** Address that the provider sent the browser to, with its answer. */
  readonly url: URL
  readonly browser: string
}

interface ProvenSignIn {
  readonly identity: Identity
  readonly to: string
  readonly linkTo: string | undefined
}

const secretLength = 43

export class IdentityProviders {
  readonly #clients: ReadonlyMap<string, ProviderClient>
  readonly #pending: PendingSignIns
  readonly #newId: NewId

  constructor({
    providers,
    readCa,
    monotonicMs = () => performance.now(),
    newId: make = newId,
  }: IdentityProvidersOptions) {
    const clients = [...providers.values()].map((provider) => {
      const ca = provider.ca === undefined ? undefined : readCa(provider.ca)
      return [provider.name, new ProviderClient({ provider, ca, monotonicMs })] as const
    })
    this.#clients = new Map(clients)
    this.#pending = new PendingSignIns(monotonicMs)
    this.#newId = make
  }

  /** Lists the providers in the order of the settings. */
  list(): IdentityProvider[] {
    return [...this.#clients.values()].map(({ provider }) => provider)
  }

  find(name: string): IdentityProvider | undefined {
    return this.#clients.get(name)?.provider
  }

  /** Begins a sign-in and returns the provider's address to open. Rejects with ProviderError. */
  async begin(name: string, { redirectUri, to, browser, network, isSilent, linkTo }: BeginningSignIn): Promise<string> {
    const [state, nonce, codeVerifier] = [this.#secret(), this.#secret(), this.#secret()]
    const pending = { provider: name, to, nonce, codeVerifier, isSilent, linkTo }
    const url = await this.#client(name).signInUrl(state, pending, redirectUri)
    this.#pending.add(state, pending, { browser, network })
    return url
  }

  /**
   * Ends a silent sign-in for which the provider would have to ask the person, and returns the path that they wanted;
   * undefined for all others.
   */
  endSilent({ provider, url, browser }: ReturnedSignIn): string | undefined {
    const state = url.searchParams.get('state') ?? ''
    const pending = this.#pending.find(state, { browser, provider })
    if (pending?.isSilent !== true || !url.searchParams.has('error')) return undefined
    this.#pending.end(state)
    return pending.to
  }

  /** Checks the provider's answer, once. Rejects with ProviderError. */
  async finish({ provider, url, browser }: ReturnedSignIn): Promise<ProvenSignIn> {
    const state = url.searchParams.get('state') ?? ''
    const pending = this.#pending.find(state, { browser, provider })
    if (pending === undefined) throw new ProviderError({ code: 'oidc_expired' })
    this.#pending.end(state)
    const identity = await this.#client(provider).identity(url, state, pending)
    return { identity, to: pending.to, linkTo: pending.linkTo }
  }

  /** Returns the provider's address that ends its session; undefined if it has none or does not answer. */
  async signOutUrl(name: string, back: string): Promise<string | undefined> {
    return this.#clients
      .get(name)
      ?.signOutUrl(back)
      .catch(() => undefined)
  }

  /** Checks a provider's logout token, once. Rejects with ProviderError. */
  async readLogoutToken(name: string, token: string): Promise<LogoutToken> {
    return this.#client(name).readLogoutToken(token)
  }

  #client(name: string): ProviderClient {
    const client = this.#clients.get(name)
    if (client === undefined) throw new Error(`there is no provider "${name}": this is a bug`)
    return client
  }

  /** Characters of a PKCE verifier that no one guesses. */
  #secret(): string {
    return this.#newId('', secretLength)
  }
}
