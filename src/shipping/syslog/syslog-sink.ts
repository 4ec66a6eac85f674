import { createSocket, type Socket as DatagramSocket } from 'node:dgram'
import { connect, isIP, type Socket } from 'node:net'
import { connect as connectTls, rootCertificates } from 'node:tls'
import { unlessAborted, within } from '../../core/within.ts'
import type { ShippedRecord } from '../shipped-record.ts'
import type { Sink } from '../sink.ts'
import { type SyslogOrigin, syslogMessage } from './syslog-message.ts'

/** Usual ports of syslog. */
const ports = { udp: 514, tcp: 601, tls: 6514 } as const
const limitMs = 10_000

export interface SyslogAddress {
  readonly transport: keyof typeof ports
  readonly host: string
  readonly port: number
}

/** Reads `tls://host:port`. Throws for anything that is no such address. */
export function readSyslogAddress(address: string): SyslogAddress {
  const { protocol, hostname, port } = new URL(address)
  const transport = protocol.slice(0, -1)
  if (!isTransport(transport)) throw new Error(`${address} does not begin with udp://, tcp:// or tls://`)
  const host = hostname.replace(/^\[(.*)\]$/, '$1')
  return { transport, host, port: port === '' ? ports[transport] : Number(port) }
}

function isTransport(name: string): name is SyslogAddress['transport'] {
  return Object.hasOwn(ports, name)
}

interface Connection {
  readonly socket: Socket
  /** Resolves once the connection stands. */
  readonly opened: Promise<void>
}

interface SyslogSinkOptions {
  readonly address: SyslogAddress
  readonly origin: SyslogOrigin
  /** Certificates (PEM) that are trusted besides the usual ones. */
  readonly ca?: string | undefined
}

/**
 * Syslog server. It confirms nothing: over UDP a record may get lost on its way, over TCP and TLS what was written to a
 * connection that broke at that moment.
 */
export class SyslogSink implements Sink {
  readonly name = 'syslog'
  readonly #options: SyslogSinkOptions
  #stream: Connection | undefined
  #datagrams: DatagramSocket | undefined

  constructor(options: SyslogSinkOptions) {
    this.#options = options
  }

  async send(records: readonly ShippedRecord[], signal: AbortSignal): Promise<number> {
    const { address, origin } = this.#options
    const messages = records.map((record) => Buffer.from(syslogMessage(record, origin)))
    const sending = address.transport === 'udp' ? this.#sendDatagrams(messages) : this.#write(framed(messages))
    await this.#limited(sending, signal)
    return 0
  }

  async check(signal: AbortSignal): Promise<void> {
    if (this.#options.address.transport !== 'udp') await this.#limited(this.#opened().opened, signal)
  }

  async #limited(work: Promise<void>, signal: AbortSignal): Promise<void> {
    const { host } = this.#options.address
    try {
      await within(unlessAborted(work, signal), limitMs, () => {
        throw new Error(`${host} takes nothing for ${limitMs / 1000} s`)
      })
    } catch (error) {
      await this.close()
      throw error
    }
  }

  #opened(): Connection {
    this.#stream ??= this.#connect()
    return this.#stream
  }

  async close(): Promise<void> {
    this.#stream?.socket.destroy()
    this.#stream = undefined
    this.#datagrams?.close()
    this.#datagrams = undefined
  }

  async #sendDatagrams(messages: readonly Buffer[]): Promise<void> {
    const { host, port } = this.#options.address
    this.#datagrams ??= createSocket(isIP(host) === 6 ? 'udp6' : 'udp4').unref()
    const socket = this.#datagrams
    for (const message of messages) {
      await new Promise<void>((resolve, reject) =>
        socket.send(message, port, host, (error) => (error ? reject(error) : resolve())),
      )
    }
  }

  async #write(bytes: Buffer): Promise<void> {
    const { socket, opened } = this.#opened()
    await opened
    const { promise: written, resolve, reject } = Promise.withResolvers<void>()
    const closed = () => reject(this.#closedError())
    socket.once('close', closed)
    socket.write(bytes, (error) => (error ? reject(error) : resolve()))
    await written.finally(() => socket.off('close', closed))
  }

  #connect(): Connection {
    const { address, ca } = this.#options
    const { transport, host, port } = address
    const socket =
      transport === 'tcp'
        ? connect({ host, port })
        : connectTls({
            ...{ host, port, minVersion: 'TLSv1.2' },
            ...(isIP(host) === 0 && { servername: host }),
            ...(ca !== undefined && { ca: [...rootCertificates, ca] }),
          })
    const { promise: opened, resolve, reject } = Promise.withResolvers<void>()
    opened.catch(() => undefined) // told to whom waits for it
    socket.once(transport === 'tcp' ? 'connect' : 'secureConnect', resolve)
    socket.on('error', reject)
    // The server sends nothing, but it may end its side.
    socket.on('end', () => socket.destroy())
    socket.once('close', () => {
      if (this.#stream?.socket === socket) this.#stream = undefined
      reject(this.#closedError())
    })
    socket.resume()
    socket.unref()
    return { socket, opened }
  }

  #closedError(): Error {
    return new Error(`${this.#options.address.host} closed the connection`)
  }
}

/** Returns messages with their lengths before them (octet counting, RFC 6587 and 5425). */
function framed(messages: readonly Buffer[]): Buffer {
  return Buffer.concat(messages.flatMap((message) => [Buffer.from(`${message.length} `), message]))
}
