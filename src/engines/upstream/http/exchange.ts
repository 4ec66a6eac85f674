/**
 * One request and its answer over a connection. Uses `node:http` instead of `fetch`: Bun's fetch runs at most 256
 * requests at a time unless an environment variable raises that, decompresses answers that were requested
 * uncompressed, accepts answers with two lengths, and does not report when the connection is established. For 1,000
 * events of 256 streams fetch takes some 16 ms of CPU, this some 27.
 */
import http from 'node:http'
import https from 'node:https'
import { createSecureContext, getCACertificates, type SecureContext } from 'node:tls'
import { systemClock } from '../../../core/clock.ts'
import { WaitLimit } from '../../../core/wait-limit.ts'
import { ArrivingBody } from './arriving-body.ts'
import { UpstreamFailure } from './failure.ts'
import { networkFailure } from './network-failure.ts'
import type { HttpLimits } from './request.ts'
import { type RequestBody, sendBody } from './request-body.ts'

/** Lifetime of an idle connection, below the five seconds of uvicorn, which vLLM and SGLang use. */
const keptMs = 4_000
const agentOptions = { keepAlive: true, timeout: keptMs, maxFreeSockets: 64 }
const agents = { http: new http.Agent(agentOptions), https: new https.Agent(agentOptions) }

/** Most interim answers, such as `103 Early Hints`. */
const informationLimit = 16

export interface ExchangeOptions {
  readonly method: 'GET' | 'POST'
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: RequestBody | undefined
  readonly signal: AbortSignal
  readonly limits: HttpLimits
  /** True for a separate connection, which is closed afterwards. */
  readonly isAlone: boolean
}

/** One exchange. `head` and `within` throw UpstreamFailure and the signal's reason. Must be closed in every case. */
export class Exchange {
  readonly #options: ExchangeOptions
  readonly #request: http.ClientRequest
  readonly #limit = new WaitLimit(systemClock)
  readonly #head = Promise.withResolvers<http.IncomingMessage>()
  readonly #cancelTotal: () => void
  #body: ArrivingBody | undefined
  #progress: 'connecting' | 'connected' | 'answering' = 'connecting'
  #isAlive = false
  /** Reason why this side ended the exchange. */
  #reason: unknown

  /** Throws problems of the request itself. */
  constructor(options: ExchangeOptions) {
    this.#options = options
    const { method, url, headers, body, signal, limits, isAlone } = options
    const isSecure = url.startsWith('https:')
    const agent = isAlone ? false : isSecure ? agents.https : agents.http
    // Set explicitly, since an environment variable changes the default of `rejectUnauthorized`.
    const tls = isSecure && { secureContext: trustedCertificates(), rejectUnauthorized: true }
    this.#request = (isSecure ? https : http).request(url, { method, headers, agent, ...tls })
    this.#listen(isSecure ? 'secureConnect' : 'connect')
    const { connectMs, totalMs } = limits
    const hint = isSecure ? ', or does not speak TLS: is its address one of http?' : ''
    this.#limit.begin(connectMs, () =>
      this.#end('connect', `the server cannot be reached within ${seconds(connectMs)}${hint}`),
    )
    const tooLong = () => this.#end('too-long', `the answer takes longer than ${seconds(totalMs)}`)
    this.#cancelTotal = systemClock.after(totalMs, tooLong)
    signal.addEventListener('abort', this.#onAbort)
    sendBody(this.#request, body).catch((error: unknown) => this.#endWith(error))
  }

  /** True on a reused connection, which the server may have closed in the meantime. */
  get isOnKeptConnection(): boolean {
    return this.#request.reusedSocket
  }

  /** Resolves with the head of the answer, whatever its status. */
  head(): Promise<http.IncomingMessage> {
    return this.within(() => this.#head.promise)
  }

  /**
   * Returns newly arrived bytes of the body, at least one piece; undefined at its end. Must be called inside `within`.
   */
  async take(): Promise<readonly Uint8Array[] | undefined> {
    return await this.#body?.take()
  }

  /** Waits for data from the server. Its time limit runs only meanwhile. */
  async within<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#reason !== undefined) throw this.#reason
    const result = await this.#limit.wait(work()).catch((error: unknown) => {
      throw this.#reason ?? networkFailure(error, this.#progress)
    })
    // An answer without a length ends with its connection, even if this side closed it.
    if (this.#reason !== undefined) throw this.#reason
    return result
  }

  /** Records significant data. More must come within the idle time. */
  noteLife(): void {
    if (this.#isAlive) {
      this.#limit.progress()
      return
    }
    this.#isAlive = true
    const { idleMs } = this.#options.limits
    this.#limit.begin(idleMs, () => this.#end('idle', `the server has sent nothing more for ${seconds(idleMs)}`))
  }

  /** Closes the connection after this time, because the rest of the answer matters little. */
  hurry(limitMs: number): void {
    this.#limit.begin(limitMs, () => this.#request.destroy())
  }

  /** Keeps the connection for reuse if everything was sent and read; otherwise closes it. */
  close(): void {
    this.#limit.end()
    this.#cancelTotal()
    this.#options.signal.removeEventListener('abort', this.#onAbort)
    this.#closeConnection()
  }

  readonly #onAbort = () => this.#endWith(this.#options.signal.reason)

  #listen(connected: 'connect' | 'secureConnect'): void {
    const request = this.#request
    const onConnected = () => {
      const { firstByteMs } = this.#options.limits
      const late = () => this.#end('no-answer', `the server does not answer within ${seconds(firstByteMs)}`)
      this.#progress = 'connected'
      this.#limit.begin(firstByteMs, late)
    }
    request.on('socket', (socket) => {
      if (request.reusedSocket) onConnected()
      else socket.once(connected, onConnected)
    })
    let information = 0
    request.on('information', () => {
      if (++information > informationLimit)
        this.#end('malformed', 'the server sends headers before headers without end')
    })
    // This listener is never removed, because a destroyed request emits an error.
    request.on('error', (error) => {
      this.#head.reject(error)
      // Otherwise an answer without a length would end as if it were complete.
      this.#body?.fail(error)
    })
    request.on('close', () => this.#head.reject(new Error('closed')))
    request.on('response', (message) => {
      this.#progress = 'answering'
      this.#body = new ArrivingBody(message)
      this.#head.resolve(message)
    })
    this.#head.promise.catch(() => undefined)
  }

  #end(kind: UpstreamFailure['kind'], message: string): void {
    this.#endWith(new UpstreamFailure(kind, message))
  }

  #endWith(reason: unknown): void {
    this.#reason ??= reason
    this.#closeConnection()
  }

  /** Closes the connection, unless the exchange is complete and it can be reused. */
  #closeConnection(): void {
    if (this.#body?.isWhole !== true || !this.#request.writableFinished) this.#request.destroy()
  }
}

let certificates: SecureContext | undefined

/**
 * Returns the certificate authorities of Bun, NODE_EXTRA_CA_CERTS and this machine. Read once, since that takes 15 ms.
 */
function trustedCertificates(): SecureContext {
  certificates ??= createSecureContext({
    ca: [...new Set([...getCACertificates('default'), ...getCACertificates('system')])],
  })
  return certificates
}

function seconds(ms: number): string {
  return `${ms / 1000} seconds`
}
