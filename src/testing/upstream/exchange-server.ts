import { createServer, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import { Exchange } from './exchange.ts'

export interface ExchangeServerOptions {
  readonly answer: (exchange: Exchange) => Promise<void>
  /** Called if an answer throws. Its connection is then closed. */
  readonly onFailure: (error: unknown) => void
  /** Certificate and key. Undefined means no TLS. */
  readonly tls?: { readonly cert: string; readonly key: string } | undefined
  /** Port number. 0 takes a free one. */
  readonly port: number
}

/** Listens on loopback, on the same port after each `stop` and `start`. */
export class ExchangeServer {
  readonly #options: ExchangeServerOptions
  readonly #sockets = new Set<Socket>()
  #server: Server | undefined
  #port: number

  constructor(options: ExchangeServerOptions) {
    this.#options = options
    this.#port = options.port
  }

  get port(): number {
    return this.#port
  }

  /** Connections that are open now. */
  get connections(): number {
    return this.#sockets.size
  }

  async start(): Promise<void> {
    const { tls } = this.#options
    const take = (socket: Socket) => this.#take(socket)
    const server = tls === undefined ? createServer(take) : createTlsServer(tls, take)
    this.#server = server
    await new Promise<void>((resolve) => server.listen(this.#port, '127.0.0.1', resolve))
    const address = server.address()
    if (typeof address === 'object' && address !== null) this.#port = address.port
  }

  /** Stops like a killed process: all connections end, and no new ones are accepted. */
  async stop(): Promise<void> {
    const server = this.#server
    this.#server = undefined
    const closed = new Promise<void>((resolve) => (server === undefined ? resolve() : server.close(() => resolve())))
    for (const socket of this.#sockets) socket.destroy()
    await closed
  }

  #take(socket: Socket): void {
    this.#sockets.add(socket)
    let pending: Buffer = Buffer.alloc(0)
    let current: Exchange | undefined
    const next = () => {
      if (current !== undefined) return
      const request = readRequest(pending)
      if (request === undefined) return
      pending = request.rest
      const exchange = new Exchange(socket, request.head, request.body)
      current = exchange
      this.#options.answer(exchange).catch((error) => {
        this.#options.onFailure(error)
        exchange.cut()
      })
      void exchange.ended.then(() => {
        current = undefined
        if (!socket.destroyed) next()
      })
    }
    socket.on('data', (bytes: Buffer) => {
      pending = Buffer.concat([pending, bytes])
      next()
    })
    socket.on('error', () => undefined)
    const close = () => {
      this.#sockets.delete(socket)
      current?.noteClosed()
    }
    socket.on('end', close)
    socket.on('close', close)
  }
}

/** Returns the first request in the received bytes; undefined if it is incomplete. */
function readRequest(bytes: Buffer): { head: string; body: Buffer; rest: Buffer } | undefined {
  const end = bytes.indexOf('\r\n\r\n')
  if (end < 0) return undefined
  const head = bytes.subarray(0, end).toString('latin1')
  const after = bytes.subarray(end + 4)
  if (/^transfer-encoding: *chunked/im.test(head)) {
    const body = readChunks(after)
    return body && { head, ...body }
  }
  const length = Number(/^content-length: *(\d+)/im.exec(head)?.[1] ?? 0)
  return after.length < length ? undefined : { head, body: after.subarray(0, length), rest: after.subarray(length) }
}

function readChunks(bytes: Buffer): { body: Buffer; rest: Buffer } | undefined {
  const chunks: Buffer[] = []
  for (let at = 0; ; ) {
    const lineEnd = bytes.indexOf('\r\n', at)
    if (lineEnd < 0) return undefined
    const size = Number.parseInt(bytes.subarray(at, lineEnd).toString('latin1'), 16)
    const begin = lineEnd + 2
    if (bytes.length < begin + size + 2) return undefined
    if (size === 0) return { body: Buffer.concat(chunks), rest: bytes.subarray(begin + 2) }
    chunks.push(bytes.subarray(begin, begin + size))
    at = begin + size + 2
  }
}
