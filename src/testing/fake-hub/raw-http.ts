/** An HTTP server that can break every rule: it cuts, stalls and drips replies as a test asks. */
import { createServer, type Socket } from 'node:net'

export interface RawRequest {
  readonly method: string
  /** Absolute address, even if a client takes the server for a proxy. */
  readonly url: URL
  readonly headers: Headers
}

export interface RawReply {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
  /** Bytes of the body after which the connection is destroyed. */
  readonly cutAfter?: number | undefined
  /** Bytes of the body after which nothing more is sent, while the connection stays open. */
  readonly stallAfter?: number | undefined
  /** Pause between the single bytes of a slow body, in milliseconds. */
  readonly dripMs?: number | undefined
}

export interface RawServer extends AsyncDisposable {
  readonly origin: string
}

export async function startRawServer(answer: (request: RawRequest) => Promise<RawReply>): Promise<RawServer> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    socket.on('error', () => undefined)
    converse(socket, answer)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  return {
    origin: `http://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}

function converse(socket: Socket, answer: (request: RawRequest) => Promise<RawReply>): void {
  let pending = ''
  let turn: Promise<void> = Promise.resolve()
  socket.on('data', (bytes) => {
    pending += bytes.toString('latin1')
    for (let end = pending.indexOf('\r\n\r\n'); end >= 0; end = pending.indexOf('\r\n\r\n')) {
      const request = parse(pending.slice(0, end), socket)
      pending = pending.slice(end + 4)
      turn = turn.then(async () => reply(socket, request.method, await answer(request)))
    }
  })
}

function parse(head: string, socket: Socket): RawRequest {
  const [first = '', ...lines] = head.split('\r\n')
  const [method = '', target = '/'] = first.split(' ')
  const headers = new Headers(
    lines.map((line): [string, string] => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trim()]),
  )
  return { method, url: new URL(target, `http://127.0.0.1:${socket.localPort}`), headers }
}

async function reply(socket: Socket, method: string, { status, headers, body, ...faults }: RawReply): Promise<void> {
  const all = { 'content-length': String(body.length), ...headers }
  const lines = Object.entries(all)
    .filter(([, value]) => value !== '')
    .map(([name, value]) => `${name}: ${value}\r\n`)
  socket.write(`HTTP/1.1 ${status} x\r\n${lines.join('')}\r\n`)
  if (method === 'HEAD') return
  const { cutAfter, stallAfter, dripMs } = faults
  if (dripMs !== undefined) return drip(socket, body, dripMs)
  const sent = body.subarray(0, cutAfter ?? stallAfter)
  await send(socket, sent)
  if (cutAfter !== undefined) socket.destroy()
  // Without a length the connection's end ends the body.
  else if (all['content-length'] === '') socket.end()
}

function send(socket: Socket, bytes: Uint8Array): Promise<void> {
  return new Promise((resolve) => {
    socket.once('close', resolve)
    socket.write(bytes, () => {
      socket.off('close', resolve)
      resolve()
    })
  })
}

async function drip(socket: Socket, body: Uint8Array, pauseMs: number): Promise<void> {
  for (let index = 0; index < body.length && !socket.destroyed; index++) {
    await send(socket, body.subarray(index, index + 1))
    await Bun.sleep(pauseMs)
  }
}
