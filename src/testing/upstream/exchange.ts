/** HTTP/1.1 of a server that may break every rule: one request of a client, and its answer, byte by byte. */
import type { Socket } from 'node:net'

export class Exchange {
  readonly method: string
  /** Path and query as the client wrote them. */
  readonly path: string
  readonly headers: Headers
  readonly body: Buffer
  /** Time by `performance.now()`. */
  readonly arrivedAtMs = performance.now()
  /** Resolves with the time when the client closes the connection before the answer's end. */
  readonly closedAtMs: Promise<number>
  /** Bytes of the answer, including its head, after which the connection is closed. */
  cutAfterBytes = Number.POSITIVE_INFINITY
  readonly #socket: Socket
  readonly #ended = Promise.withResolvers<void>()
  readonly #closed = Promise.withResolvers<number>()
  #isChunked = false
  #isClosed = false
  #sentBytes = 0

  constructor(socket: Socket, head: string, body: Buffer) {
    const [first = '', ...lines] = head.split('\r\n')
    const [method = '', path = '/'] = first.split(' ')
    this.method = method
    this.path = path
    this.headers = new Headers(
      lines.map((line): [string, string] => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1)]),
    )
    this.body = body
    this.#socket = socket
    this.closedAtMs = this.#closed.promise
  }

  /** Resolves once the answer or the connection has ended. */
  get ended(): Promise<void> {
    return this.#ended.promise
  }

  get isClosed(): boolean {
    return this.#isClosed
  }

  json(): unknown {
    return JSON.parse(this.body.toString())
  }

  /** Sends a whole answer. */
  async answer(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Promise<void> {
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    const all = { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(text)), ...headers }
    await this.raw(`${headOf(status, all)}${text}`)
    this.#ended.resolve()
  }

  /** Sends the head of an answer in pieces. */
  async begin(status = 200, headers: Readonly<Record<string, string>> = {}): Promise<void> {
    this.#isChunked = true
    await this.raw(headOf(status, { 'content-type': 'text/event-stream', 'transfer-encoding': 'chunked', ...headers }))
  }

  /** Sends a piece of the answer. Resolves once the system has accepted it. */
  async send(piece: string | Uint8Array): Promise<void> {
    const bytes = Buffer.from(piece)
    if (bytes.length === 0) return
    if (!this.#isChunked) return this.raw(bytes)
    await this.raw(Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')]))
  }

  /** Sends a server-sent event. */
  async event(data: unknown): Promise<void> {
    await this.send(`data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`)
  }

  async end(): Promise<void> {
    if (this.#isChunked) await this.raw('0\r\n\r\n')
    this.#ended.resolve()
  }

  /** Ends the connection in the middle of the answer, like a process that dies. */
  cut(): void {
    this.#isClosed = true
    this.#socket.destroy()
    this.#ended.resolve()
  }

  async raw(piece: string | Uint8Array): Promise<void> {
    const bytes = Buffer.from(piece)
    if (this.#isClosed) return
    const room = this.cutAfterBytes - this.#sentBytes
    if (bytes.length >= room) {
      this.#isClosed = true
      this.#socket.end(bytes.subarray(0, room))
      this.#ended.resolve()
      return
    }
    this.#sentBytes += bytes.length
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#socket.write(bytes, (error) => {
      if (error) this.noteClosed()
      resolve()
    })
    await Promise.race([promise, this.closedAtMs])
  }

  /** Called when the connection is closed. */
  noteClosed(): void {
    this.#isClosed = true
    this.#closed.resolve(performance.now())
    this.#ended.resolve()
  }
}

function headOf(status: number, headers: Readonly<Record<string, string>>): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  return `HTTP/1.1 ${status} x\r\n${lines.join('')}\r\n`
}
