/**
 * Listening socket that passes connections on to servers of this process, chosen by their first bytes. A new certificate
 * takes a new TLS server behind it; open connections stay with the old one until they end.
 */
import type { Socket } from 'bun'
import { type Opening, readOpening } from './client-hello.ts'
import { Outlet } from './outlet.ts'

export type ReadOpening = Exclude<Opening, { kind: 'incomplete' }>

/** Server behind the relay, on a port of 127.0.0.1. */
export interface RelayTarget {
  readonly port: number
  /** Called at the begin and at the end of each connection that is passed to it, with the change of their number. */
  readonly onChange?: (change: 1 | -1) => void
}

interface RelayOptions {
  readonly hostname: string
  readonly port: number
  /** Returns the server for a connection. */
  readonly targetOf: (opening: ReadOpening, peerAddress: string) => RelayTarget
}

export interface Relay {
  readonly port: number
  /** Returns the client's address of a connection between two ports of 127.0.0.1. Undefined if it is not the relay's. */
  peerOf(targetPort: number, ownPort: number): string | undefined
  /** Stops accepting connections; open ones go on. */
  stop(): void
}

/** Relayed connection: the client's socket and, once a server is chosen, the one to it. */
interface Connection {
  readonly client: Outlet<Connection>
  readonly clientSocket: Socket<Connection>
  state: 'opening' | 'connecting' | 'handshake' | 'open' | 'gone'
  /** First bytes, until a server takes them. */
  opening: Uint8Array
  server?: { readonly outlet: Outlet<Connection>; readonly socket: Socket<Connection> }
}

/** Time for a client's first record, and again for its next one. */
const handshakeSeconds = 10
const loopback = '127.0.0.1'

/** Begins to listen. Throws if the address cannot be used. */
export function startRelay({ hostname, port, targetOf }: RelayOptions): Relay {
  const peers = new Map<string, string>()
  const listener = Bun.listen<Connection>({
    // Unlike the runtime's HTTP server, its sockets take no brackets around IPv6.
    hostname: hostname.replace(/^\[|\]$/g, ''),
    port,
    allowHalfOpen: true,
    socket: {
      open(socket) {
        socket.data = {
          client: new Outlet(socket),
          clientSocket: socket,
          state: 'opening',
          opening: new Uint8Array(),
        }
        socket.setNoDelay(true)
        socket.timeout(handshakeSeconds)
      },
      data({ data: connection }, bytes) {
        receive(connection, bytes)
      },
      drain: ({ data: { client, server } }) => {
        if (client.drain()) server?.socket.resume()
      },
      timeout: (socket) => void socket.terminate(),
      end: ({ data }) => leave(data),
      close: ({ data }) => leave(data),
    },
  })
  return {
    port: listener.port,
    peerOf: (targetPort, ownPort) => peers.get(pathOf(targetPort, ownPort)),
    stop: () => listener.stop(false),
  }

  function receive(connection: Connection, bytes: Uint8Array): void {
    const { clientSocket, server } = connection
    if (server !== undefined) {
      // The client's second message ends its part of the handshake.
      if (connection.state === 'handshake') clientSocket.timeout(0)
      connection.state = 'open'
      if (!server.outlet.send(bytes)) clientSocket.pause()
      return
    }
    connection.opening = Buffer.concat([connection.opening, bytes])
    if (connection.state !== 'opening') return
    const opening = readOpening(connection.opening)
    if (opening.kind === 'incomplete') return
    connection.state = 'connecting'
    // Nobody takes further bytes until there is a server.
    clientSocket.pause()
    connect(connection, opening)
  }

  /** Passes a connection to its server, the first bytes at once. */
  function connect(connection: Connection, opening: ReadOpening): void {
    const { client, clientSocket } = connection
    const { remoteAddress } = clientSocket
    const target = targetOf(opening, remoteAddress)
    target.onChange?.(1)
    const options = { hostname: loopback, port: target.port, allowHalfOpen: true, data: connection }
    const opened = Bun.connect<Connection>({
      ...options,
      socket: {
        open(socket) {
          const outlet = new Outlet(socket)
          socket.setNoDelay(true)
          peers.set(pathOf(target.port, socket.localPort), remoteAddress)
          connection.server = { outlet, socket }
          if (connection.state === 'gone') {
            socket.end()
            return
          }
          if (opening.kind === 'plain') clientSocket.timeout(0)
          connection.state = opening.kind === 'plain' ? 'open' : 'handshake'
          if (outlet.send(connection.opening)) clientSocket.resume()
          connection.opening = new Uint8Array()
        },
        data(socket, bytes) {
          if (connection.state !== 'gone' && !client.send(bytes)) socket.pause()
        },
        drain: () => {
          if (connection.server?.outlet.drain()) clientSocket.resume()
        },
        end: (socket) => {
          client.end()
          socket.end()
        },
        close(socket) {
          // The server has closed its end too, so the port is unused until then.
          peers.delete(pathOf(target.port, socket.localPort))
          target.onChange?.(-1)
          client.end()
        },
      },
    })
    opened.catch(() => {
      target.onChange?.(-1)
      clientSocket.terminate()
    })
  }
}

/** Identifies an inner connection. The system gives one port to connections with several servers at once. */
function pathOf(targetPort: number, ownPort: number): string {
  return `${targetPort} ${ownPort}`
}

/** Tells the server that the client has gone or sends no more, and drops answers. */
function leave(connection: Connection): void {
  if (connection.state === 'gone') return
  connection.state = 'gone'
  connection.server?.socket.resume()
  connection.server?.outlet.end()
  connection.clientSocket.end()
}
