/** Answers to an authority's challenges: a text over HTTP, or a certificate over TLS. */
import { createHash } from 'node:crypto'
import { createServer, type Server } from 'node:tls'
import { dayMs } from '../../core/durations.ts'
import { makeSelfSigned, newKey } from '../make-certificates.ts'
import type { Challenger } from './acme-order.ts'

/** ALPN protocol by which authorities ask for a challenge's certificate (RFC 8737). */
const alpnProtocol = 'acme-tls/1'
const acmeIdentifier = '1.3.6.1.5.5.7.1.31'

export interface Challenges extends Challenger {
  /** Returns the text for a token over HTTP; undefined for an unknown one. */
  answerTo(token: string): string | undefined
  /** Returns the port of 127.0.0.1 that answers a protocol; undefined for any but the challenge's. */
  portOfProtocol(protocol: string): number | undefined
  stop(): void
}

/** Answers by http-01. */
export function httpChallenges(): Challenges {
  const answers = new Map<string, string>()
  return {
    async answer({ token, keyAuthorization }) {
      answers.set(token, keyAuthorization)
      return () => answers.delete(token)
    },
    answerTo: (token) => answers.get(token),
    portOfProtocol: () => undefined,
    stop: () => undefined,
  }
}

/** Answers by tls-alpn-01, of one host at a time. */
export function tlsChallenges(clock: () => number): Challenges {
  let server: Server | undefined
  return {
    async answer({ host, keyAuthorization }) {
      const key = newKey()
      const digest = createHash('sha256').update(keyAuthorization).digest()
      // The digest as an octet string in DER.
      const value = Buffer.concat([Buffer.from([4, digest.length]), digest])
      const period = { fromMs: clock() - dayMs, toMs: clock() + dayMs }
      const cert = await makeSelfSigned(key, [host], period, (x509) => [
        new x509.Extension(acmeIdentifier, true, new Uint8Array(value)),
      ])
      const started = createServer({ ...{ cert, key }, ALPNProtocols: [alpnProtocol] }, (socket) => {
        socket.on('error', () => undefined)
        socket.end()
      })
      started.on('tlsClientError', () => undefined)
      await new Promise<void>((resolve, reject) => {
        started.once('error', reject)
        started.listen(0, '127.0.0.1', resolve)
      })
      server = started
      return () => {
        server = undefined
        started.close()
      }
    },
    answerTo: () => undefined,
    portOfProtocol(protocol) {
      const address = protocol === alpnProtocol ? server?.address() : undefined
      return typeof address === 'object' ? (address?.port ?? undefined) : undefined
    },
    stop: () => server?.close(),
  }
}
