/** Identity provider whose answers a test writes: for faults and claims that a sound provider does not send. */
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import type { IdentityProvider } from '../core/identity-provider.ts'

type Claims = Record<string, unknown>

export interface ScriptedProvider extends Disposable {
  readonly issuer: string
  /** Paths that were asked, in order. */
  readonly asked: string[]
  /** Claims of the next id token beside those of the protocol, which they may replace. */
  claims: Claims
  /** Answers of paths in place of the usual ones. */
  readonly answers: Map<string, (request: Request) => Response | Promise<Response>>
  /** Signs claims as they are. */
  sign(
    claims: Claims,
    header?: { readonly alg?: string; readonly kid?: string; readonly typ?: string },
  ): Promise<string>
  /** Makes a new key, and forgets the former one. */
  rotate(): Promise<void>
  /** Returns the answer that the provider would send the browser back with, to a sign-in that began at `location`. */
  returnFrom(location: string, changed?: Record<string, string>): string
}

/** Returns settings of a provider. */
export function providerSettings(
  given: Partial<IdentityProvider> & Pick<IdentityProvider, 'issuer'>,
): IdentityProvider {
  return {
    name: 'company',
    clientId: 'inferd',
    clientSecret: 'a secret of the client',
    label: 'Company',
    scopes: 'openid email profile',
    ca: undefined,
    groupsClaim: 'groups',
    allowedGroups: undefined,
    trustEmail: 'verified',
    createAccounts: true,
    sessionHours: 12,
    pauseKeysDays: 0,
    roles: new Map(),
    teams: new Map(),
    limits: new Map(),
    ...given,
  }
}

export async function startScriptedProvider(): Promise<ScriptedProvider> {
  let count = 0
  const newKey = async () => {
    const kid = `key-${++count}`
    const pair = await generateKeyPair('RS256', { extractable: true })
    return {
      kid,
      privateKey: pair.privateKey,
      jwk: { ...(await exportJWK(pair.publicKey)), kid, use: 'sig', alg: 'RS256' },
    }
  }
  let key = await newKey()
  const nonces = new Map<string, string>()
  const server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: (request) => answer(request) })
  const issuer = server.url.origin
  const nowSeconds = () => Math.floor(Date.now() / 1000)
  const usual: Record<string, (request: Request) => Response | Promise<Response>> = {
    '/.well-known/openid-configuration': () =>
      Response.json({
        issuer,
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/token`,
        userinfo_endpoint: `${issuer}/userinfo`,
        jwks_uri: `${issuer}/jwks`,
        end_session_endpoint: `${issuer}/end`,
        response_types_supported: ['code'],
        subject_types_supported: ['public'],
        id_token_signing_alg_values_supported: ['RS256'],
        authorization_response_iss_parameter_supported: true,
      }),
    '/jwks': () => Response.json({ keys: [key.jwk] }),
    '/token': async (request) => {
      const form = new URLSearchParams(await request.text())
      const nonce = nonces.get(form.get('code') ?? '')
      if (nonce === undefined) return Response.json({ error: 'invalid_grant' }, { status: 400 })
      nonces.delete(form.get('code') ?? '')
      const idToken = await provider.sign({ nonce, ...provider.claims })
      return Response.json({ access_token: 'access', token_type: 'Bearer', id_token: idToken })
    },
    '/userinfo': () => Response.json({ sub: provider.claims.sub }),
  }
  const provider: ScriptedProvider = {
    issuer,
    asked: [],
    claims: { sub: 'ada' },
    answers: new Map(),
    sign: async (claims, { alg = 'RS256', kid = key.kid, typ } = {}) => {
      const seconds = nowSeconds()
      const all = { iss: issuer, aud: 'inferd', iat: seconds, exp: seconds + 300, ...claims }
      if (alg !== 'RS256') {
        const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url')
        return `${encode({ alg })}.${encode(all)}.`
      }
      return new SignJWT(all).setProtectedHeader({ alg, kid, ...(typ && { typ }) }).sign(key.privateKey)
    },
    rotate: async () => {
      key = await newKey()
    },
    returnFrom: (location, changed = {}) => {
      const asked = new URL(location).searchParams
      const code = `code-${++count}`
      nonces.set(code, asked.get('nonce') ?? '')
      const url = new URL(asked.get('redirect_uri') ?? '')
      const given = { code, state: asked.get('state') ?? '', iss: issuer, ...changed }
      for (const [name, value] of Object.entries(given)) url.searchParams.set(name, value)
      return url.href
    },
    [Symbol.dispose]: () => void server.stop(true),
  }
  return provider

  async function answer(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url)
    provider.asked.push(pathname)
    return await (provider.answers.get(pathname) ?? usual[pathname] ?? (() => new Response(null, { status: 404 })))(
      request,
    )
  }
}
