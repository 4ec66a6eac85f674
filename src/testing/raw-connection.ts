import { connect, type Socket } from 'node:net'

/** A TCP connection for bytes that no HTTP client would send. */
export interface RawConnection {
  readonly socket: Socket
  /** Returns all bytes received so far, one character per byte. */
  received(): string
  /** Resolves once `text` has arrived. Rejects if the connection ends without it. */
  until(text: string): Promise<string>
  /** Resolves with all received bytes once the connection has ended. */
  closed(): Promise<string>
}

/** Connects to the server at `url`. With `allowHalfOpen` our side can still read after `socket.end()`. */
export async function openRaw(url: string): Promise<RawConnection> {
  const { hostname, port } = new URL(url)
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true })
  let text = ''
  let isOver = false
  const waiters = new Set<() => void>()
  const wake = () => {
    for (const waiter of waiters) waiter()
  }
  socket.on('data', (bytes) => {
    text += bytes.toString('latin1')
    wake()
  })
  for (const event of ['end', 'close', 'error']) {
    socket.on(event, () => {
      isOver = true
      wake()
    })
  }
  await new Promise((resolve, reject) => {
    socket.once('connect', resolve)
    socket.once('error', reject)
  })
  const change = () =>
    new Promise<void>((resolve) => {
      const waiter = () => {
        waiters.delete(waiter)
        resolve()
      }
      waiters.add(waiter)
    })
  return {
    socket,
    received: () => text,
    until: async (wanted) => {
      let searched = 0
      while (!text.includes(wanted, searched)) {
        if (isOver) throw new Error(`the connection ended without ${JSON.stringify(wanted)} after: ${text}`)
        searched = Math.max(0, text.length - wanted.length)
        await change()
      }
      return text
    },
    closed: async () => {
      while (!isOver) await change()
      return text
    },
  }
}
