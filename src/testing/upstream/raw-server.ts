import { createServer, type Socket } from 'node:net'

/** The server's side of one request, which can send what no HTTP library would. */
export class RawExchange {
  readonly socket: Socket
  /** Request with the received part of its body, one character per byte. */
  readonly request: string
  /** Resolves with the time by `performance.now()` when the connection is closed. */
  readonly closed: Promise<number>
  /** Bytes that `pour` has sent. */
  pouredBytes = 0

  constructor(socket: Socket, request: string, closed: Promise<number>) {
    this.socket = socket
    this.request = request
    this.closed = closed
  }

  say(text: string | Uint8Array): this {
    this.socket.write(text)
    return this
  }

  /** Sends a head with status 200 and type `text/event-stream`. Each of `headers` ends with a line break. */
  head(headers = ''): this {
    return this.say(`HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n${headers}\r\n`)
  }

  /** Sends a piece of a chunked body. */
  chunk(text: string): this {
    return this.say(`${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`)
  }

  /** Sends the text repeatedly, as fast as the client reads. */
  pour(text: string): void {
    const more = () => {
      for (let hasRoom = true; hasRoom && !this.socket.destroyed; this.pouredBytes += text.length) {
        hasRoom = this.socket.write(text)
      }
    }
    this.socket.on('drain', more)
    more()
  }

  /** Sends the text fifty times a second. */
  drip(text: string): void {
    const timer = setInterval(() => this.say(text), 20)
    this.socket.on('close', () => clearInterval(timer))
  }

  end(text: string | Uint8Array = ''): void {
    this.socket.end(text)
  }
}

export interface RawServer extends AsyncDisposable {
  readonly url: string
  /** Number of connections so far. */
  readonly connections: number
  /** Resolves with the next request. */
  next(): Promise<RawExchange>
}

/** Starts a server that answers each request by `answer`. */
export async function startRawServer(answer: (exchange: RawExchange) => void): Promise<RawServer> {
  let connections = 0
  const sockets = new Set<Socket>()
  const waiting: ((exchange: RawExchange) => void)[] = []
  const server = createServer((socket) => {
    connections++
    sockets.add(socket)
    const closed = Promise.withResolvers<number>()
    socket.on('error', () => undefined)
    socket.on('close', () => {
      sockets.delete(socket)
      closed.resolve(performance.now())
    })
    let request = ''
    socket.on('data', (bytes) => {
      request += bytes.toString('latin1')
      if (!isWhole(request)) return
      const exchange = new RawExchange(socket, request, closed.promise)
      request = ''
      answer(exchange)
      waiting.shift()?.(exchange)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  return {
    url: `http://127.0.0.1:${port}/v1/chat/completions`,
    get connections() {
      return connections
    },
    next: () => new Promise((resolve) => waiting.push(resolve)),
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** Returns whether the head and all of the body that it announces have arrived. */
function isWhole(request: string): boolean {
  const end = request.indexOf('\r\n\r\n')
  const length = Number(/\r\ncontent-length: (\d+)/i.exec(request)?.[1] ?? 0)
  return end !== -1 && request.length >= end + 4 + length
}
