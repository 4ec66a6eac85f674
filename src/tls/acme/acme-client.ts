/** Signed requests to an ACME authority (RFC 8555). */
import { rootCertificates } from 'node:tls'
import { type CryptoKey, calculateJwkThumbprint, exportJWK, FlattenedSign, importPKCS8, type JWK } from 'jose'
import { errorText } from '../../core/error-text.ts'
import { AcmeError, retryAfterMs } from './acme-error.ts'

export interface AcmeDirectory {
  readonly newNonce: string
  readonly newAccount: string
  readonly newOrder: string
  readonly renewalInfo?: string
  readonly meta?: { readonly termsOfService?: string; readonly profiles?: Readonly<Record<string, string>> }
}

export interface AcmeAnswer {
  readonly headers: Headers
  readonly text: string
}

interface AcmeClientOptions {
  readonly directoryUrl: string
  /** PEM of the account's key. */
  readonly accountKey: string
  /** Certificates by which the authority's server is trusted beside the usual ones. */
  readonly ca: string | undefined
  readonly userAgent: string
  /** Ends requests when the server stops. */
  readonly signal: AbortSignal
  readonly clock: () => number
}

const limitMs = 30_000
const answerBytes = 1_000_000
/** Tries of a request whose nonce is refused. */
const nonceTries = 10

export class AcmeClient {
  readonly #options: AcmeClientOptions
  readonly #nonces: string[] = []
  #directory: AcmeDirectory | undefined
  #key: { readonly secret: CryptoKey; readonly jwk: JWK } | undefined
  /** URL of the account, which signs all requests but the first. */
  account: string | undefined

  constructor(options: AcmeClientOptions) {
    this.#options = options
  }

  async directory(): Promise<AcmeDirectory> {
    this.#directory ??= JSON.parse((await this.get(this.#options.directoryUrl)).text) as AcmeDirectory // checked by use
    return this.#directory
  }

  /** Returns the answer to a challenge's token. */
  async keyAuthorization(token: string): Promise<string> {
    return `${token}.${await calculateJwkThumbprint((await this.#keys()).jwk)}`
  }

  /** Sends an unsigned request. Rejects with AcmeError. */
  get(url: string): Promise<AcmeAnswer> {
    return this.#fetch(url, { method: 'GET' })
  }

  /** Sends a signed request; without a payload it reads. Rejects with AcmeError. */
  async post(url: string, payload?: object): Promise<AcmeAnswer> {
    for (let attempt = 1; ; attempt++) {
      try {
        const headers = { 'content-type': 'application/jose+json' }
        return await this.#fetch(url, { method: 'POST', headers, body: await this.#signed(url, payload) })
      } catch (error) {
        if (!(error instanceof AcmeError) || error.type !== 'badNonce' || attempt === nonceTries) throw error
      }
    }
  }

  async #signed(url: string, payload: object | undefined): Promise<string> {
    const { secret, jwk } = await this.#keys()
    const nonce = this.#nonces.pop() ?? (await this.#newNonce())
    const signer = this.account === undefined ? { jwk } : { kid: this.account }
    const text = payload === undefined ? '' : JSON.stringify(payload)
    const signed = await new FlattenedSign(new TextEncoder().encode(text))
      .setProtectedHeader({ alg: 'ES256', nonce, url, ...signer })
      .sign(secret)
    return JSON.stringify(signed)
  }

  async #newNonce(): Promise<string> {
    const { newNonce } = await this.directory()
    await this.#fetch(newNonce, { method: 'HEAD' })
    const nonce = this.#nonces.pop()
    if (nonce === undefined) throw new AcmeError('the authority sends no nonce')
    return nonce
  }

  async #keys() {
    if (this.#key === undefined) {
      const secret = await importPKCS8(this.#options.accountKey, 'ES256', { extractable: true })
      const { kty, crv, x, y } = await exportJWK(secret)
      this.#key = { secret, jwk: { kty, crv, x, y } as JWK }
    }
    return this.#key
  }

  async #fetch(url: string, init: RequestInit): Promise<AcmeAnswer> {
    const { ca, userAgent, clock, directoryUrl, signal } = this.#options
    // The runtime also fetches files.
    if (URL.parse(url)?.protocol !== new URL(directoryUrl).protocol)
      throw new AcmeError(`the authority names an address that it cannot have: ${url}`)
    const response = await fetch(url, {
      ...init,
      headers: { 'user-agent': userAgent, ...init.headers },
      redirect: 'error',
      signal: AbortSignal.any([signal, AbortSignal.timeout(limitMs)]),
      ...(ca !== undefined && { tls: { ca: [...rootCertificates, ca] } }),
    }).catch((error: unknown) => {
      throw new AcmeError(`${new URL(url).host} does not answer: ${errorText(error)}`)
    })
    const nonce = response.headers.get('replay-nonce')
    if (nonce !== null) this.#nonces.push(nonce)
    const text = await readText(response).catch((error: unknown) => {
      throw new AcmeError(`the answer of ${new URL(url).host} broke off: ${errorText(error)}`)
    })
    if (response.ok) return { headers: response.headers, text }
    const waitMs = retryAfterMs(response.headers.get('retry-after'), clock())
    throw problemOf(text, { status: response.status, waitMs })
  }
}

/** Reads an answer. Rejects if it is longer than any of an authority. */
async function readText(response: Response): Promise<string> {
  const pieces: Uint8Array[] = []
  let bytes = 0
  for await (const piece of response.body ?? []) {
    bytes += piece.length
    if (bytes > answerBytes) throw new Error(`it is longer than ${answerBytes} bytes`)
    pieces.push(piece)
  }
  return Buffer.concat(pieces).toString()
}

function problemOf(text: string, facts: { readonly status: number; readonly waitMs: number | undefined }): AcmeError {
  const { type, detail, subproblems } = parsed(text)
  const short = typeof type === 'string' ? type.replace('urn:ietf:params:acme:error:', '') : undefined
  const [first] = Array.isArray(subproblems) ? subproblems : []
  const reasons = [detail, Object(first).detail].filter((reason) => typeof reason === 'string')
  const message = reasons.length === 0 ? `status ${facts.status}` : reasons.join(' ').slice(0, 500)
  return new AcmeError(`the authority refuses (${short ?? facts.status}): ${message}`, { type: short, ...facts })
}

function parsed(text: string): Record<string, unknown> {
  try {
    return Object(JSON.parse(text))
  } catch {
    return {}
  }
}
