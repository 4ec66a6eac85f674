/** ACME authority for tests, with faults on demand. It checks signatures and nonces, and challenges by a function. */
import 'reflect-metadata'
import { createPrivateKey } from 'node:crypto'
import {
  AuthorityKeyIdentifierExtension,
  Pkcs10CertificateRequest,
  SubjectAlternativeNameExtension,
  X509Certificate,
  X509CertificateGenerator,
} from '@peculiar/x509'
import { flattenedVerify, importJWK, type JWK } from 'jose'
import { makeRoot, newKey } from '../tls/make-certificates.ts'

/** Failure of one request: the answer is lost in a proxy after the work was done, or a refusal comes in its place. */
export type AcmeFault = 'lost' | { readonly status: number; readonly type: string; readonly retryAfter?: string }

interface AcmeServerOptions {
  /** Returns the fault of a request, counted by the name of its resource from 1; undefined for none. */
  readonly faultOf?: (resource: string, count: number) => AcmeFault | undefined
  /** Returns whether a challenge is answered rightly; undefined never decides. */
  readonly check: (host: string, token: string) => Promise<boolean | undefined>
  /** Returns true while orders that are finalized stay in work. */
  readonly isStuck?: () => boolean
  /** Returns the chain to send in place of the right one. */
  readonly chainOf?: (chain: string) => string
  /** Returns the host that a certificate is for in place of those that were ordered; undefined for the right ones. */
  readonly wrongHost?: () => string | undefined
  /** Time that passed of a new certificate's life. */
  readonly ageMs?: () => number
  readonly lifeMs: number
  readonly clock: () => number
  /** Window in which certificates should be renewed. Undefined offers no advice. */
  readonly window?: () => { readonly startMs: number; readonly endMs: number }
}

interface TestOrder {
  readonly id: string
  readonly names: readonly string[]
  readonly states: Map<string, 'pending' | 'valid' | 'invalid'>
  readonly replaces: string | undefined
  certificate: string | undefined
}

export async function startAcmeServer(options: AcmeServerOptions) {
  const { faultOf = () => undefined, check, isStuck = () => false, lifeMs, clock, window } = options
  const { chainOf = (chain: string) => chain, wrongHost = () => undefined, ageMs = () => 0 } = options
  const rootKey = newKey()
  const root = await makeRoot(rootKey, 'Test authority', { fromMs: clock() - lifeMs, toMs: clock() + 100 * lifeMs })
  const issuer = new X509Certificate(root)
  const signingKey = await crypto.subtle.importKey(
    'pkcs8',
    new Uint8Array(createPrivateKey(rootKey).export({ type: 'pkcs8', format: 'der' })),
    { name: 'ECDSA', namedCurve: 'P-256' },
    false,
    ['sign'],
  )
  const nonces = new Set<string>()
  const accounts = new Map<string, JWK>()
  const orders = new Map<string, TestOrder>()
  const counts = new Map<string, number>()
  let next = 0
  const server = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: answer })
  const at = (path: string) => `${server.url.origin}${path}`

  return { url: at('/directory'), orders, counts, accounts, [Symbol.asyncDispose]: () => server.stop(true) }

  async function answer(request: Request): Promise<Response> {
    const path = new URL(request.url).pathname
    const resource = path.split('/')[1] ?? ''
    const count = (counts.get(resource) ?? 0) + 1
    counts.set(resource, count)
    const fault = faultOf(resource, count)
    if (typeof fault === 'object') return refusal(fault)
    const response = await serve(request, path)
    if (fault === 'lost') return new Response(null, { status: 502 })
    return response
  }

  function refusal({ status, type, retryAfter }: Exclude<AcmeFault, 'lost'>): Response {
    const body = { type: `urn:ietf:params:acme:error:${type}`, detail: `test says ${type}` }
    return withNonce(
      Response.json(body, { status, headers: retryAfter === undefined ? {} : { 'retry-after': retryAfter } }),
    )
  }

  function withNonce(response: Response): Response {
    const nonce = `nonce-${next++}`
    nonces.add(nonce)
    response.headers.set('replay-nonce', nonce)
    return response
  }

  async function serve(request: Request, path: string): Promise<Response> {
    if (path === '/directory') {
      const meta = { profiles: { shortlived: 'six days', classic: 'longer' } }
      const urls = { newNonce: at('/nonce'), newAccount: at('/new-account'), newOrder: at('/new-order') }
      return Response.json({ ...urls, ...(window !== undefined && { renewalInfo: at('/advice') }), meta })
    }
    if (path === '/nonce') return withNonce(new Response())
    if (path.startsWith('/advice/') && window !== undefined) {
      const { startMs, endMs } = window()
      const suggestedWindow = { start: new Date(startMs).toISOString(), end: new Date(endMs).toISOString() }
      return Response.json({ suggestedWindow }, { headers: { 'retry-after': '3600' } })
    }
    const signed = JSON.parse(await request.text())
    const { nonce, url, jwk, kid } = JSON.parse(Buffer.from(signed.protected, 'base64url').toString())
    if (!nonces.delete(nonce)) return refusal({ status: 400, type: 'badNonce' })
    if (url !== request.url) return refusal({ status: 401, type: 'unauthorized' })
    const key = jwk ?? accounts.get(kid)
    if (key === undefined) return refusal({ status: 400, type: 'accountDoesNotExist' })
    const { payload } = await flattenedVerify(signed, await importJWK(key, 'ES256'))
    const body = payload.length === 0 ? undefined : JSON.parse(new TextDecoder().decode(payload))
    return withNonce(await act(path, body, key))
  }

  async function act(path: string, body: Record<string, unknown> | undefined, key: JWK): Promise<Response> {
    const [, resource, id = '', host = ''] = path.split('/')
    if (resource === 'new-account') {
      const account = at(`/account/${key.x}`)
      accounts.set(account, key)
      return Response.json({ status: 'valid' }, { status: 201, headers: { location: account } })
    }
    if (resource === 'new-order') {
      const names: string[] = Object(body).identifiers.map(({ value }: { value: string }) => value)
      const states = new Map(names.map((name) => [name, 'pending' as const]))
      const replaces = typeof body?.replaces === 'string' ? body.replaces : undefined
      const made: TestOrder = { id: `${next++}`, names, states, replaces, certificate: undefined }
      orders.set(made.id, made)
      return Response.json(shown(made), { status: 201, headers: { location: at(`/order/${made.id}`) } })
    }
    const order = orders.get(id)
    if (order === undefined) return refusal({ status: 404, type: 'malformed' })
    if (resource === 'authorization') {
      const challenges = ['http-01', 'tls-alpn-01'].map((type) => ({
        ...{ type, url: at(`/challenge/${id}/${host}`), token: `token-${id}-${host}` },
        ...(order.states.get(host) === 'invalid' && { error: { detail: `cannot reach ${host}` } }),
      }))
      return Response.json({ status: order.states.get(host), identifier: { type: 'dns', value: host }, challenges })
    }
    if (resource === 'challenge') {
      const isRight = await check(host, `token-${id}-${host}`)
      if (isRight !== undefined) order.states.set(host, isRight ? 'valid' : 'invalid')
      return Response.json({})
    }
    if (resource === 'finalize') {
      order.certificate = await issue(new Pkcs10CertificateRequest(Buffer.from(String(body?.csr), 'base64url')))
      return Response.json(shown(order))
    }
    if (resource === 'certificate') return new Response(chainOf(order.certificate ?? ''))
    return Response.json(shown(order))
  }

  function shown(order: TestOrder) {
    const states = [...order.states.values()]
    const isAuthorized = states.every((state) => state === 'valid')
    const status = states.includes('invalid') ? 'invalid' : isAuthorized ? 'ready' : 'pending'
    return {
      status: order.certificate === undefined ? status : isStuck() ? 'processing' : 'valid',
      authorizations: order.names.map((name) => at(`/authorization/${order.id}/${name}`)),
      finalize: at(`/finalize/${order.id}`),
      certificate: order.certificate && at(`/certificate/${order.id}`),
    }
  }

  async function issue(request: Pkcs10CertificateRequest): Promise<string> {
    const host = wrongHost()
    const names =
      host === undefined
        ? request.getExtension('2.5.29.17')
        : new SubjectAlternativeNameExtension([{ type: 'dns', value: host }])
    const fromMs = clock() - ageMs()
    const made = await X509CertificateGenerator.create({
      ...{ serialNumber: `4${next++}0`, subject: 'CN=test', issuer: issuer.subject },
      ...{ notBefore: new Date(fromMs), notAfter: new Date(fromMs + lifeMs) },
      ...{ publicKey: request.publicKey, signingKey, signingAlgorithm: { name: 'ECDSA', hash: 'SHA-256' } },
      extensions: [
        ...(names === null || names === undefined ? [] : [names]),
        await AuthorityKeyIdentifierExtension.create(issuer.publicKey),
      ],
    })
    return `${made.toString('pem')}\n${root}`
  }
}
