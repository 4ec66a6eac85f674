/** Checks that contact other machines, only those that the operator has named. */
import { connect } from 'node:tls'
import { dayMs } from '../../core/durations.ts'
import { errorText } from '../../core/error-text.ts'
import type { Finding } from './check.ts'

/** Checks the configured mail server. `verify` connects and signs in without sending. */
export async function mailFinding(verify: (() => Promise<void>) | undefined): Promise<Finding> {
  if (verify === undefined) return { verdict: 'ok', text: 'no mail server is set: links wait in the outbox' }
  try {
    await verify()
    return { verdict: 'ok', text: 'the mail server answers' }
  } catch (error) {
    const reason = errorText(error)
    return { verdict: 'bad', text: `the mail server does not take mail: ${reason}`, advice: 'check the smtp settings' }
  }
}

const soonMs = 14 * dayMs
const limitMs = 10_000

interface ServedCertificate {
  /** Milliseconds UTC. */
  readonly validToMs: number
  /** Reason why clients do not trust it. Undefined if they do. */
  readonly problem: string | undefined
}

/** Checks the certificate that clients of the public address see. */
export function certificateFinding(
  { validToMs, problem }: ServedCertificate,
  nowMs: number,
  advice = 'renew it in the proxy that holds it',
): Finding {
  const days = Math.floor((validToMs - nowMs) / dayMs)
  const text = `the certificate of the public address is good for ${days} days`
  if (validToMs <= nowMs) return { verdict: 'bad', text: 'the certificate of the public address has expired', advice }
  if (problem !== undefined) return { verdict: 'bad', text: `the public address is not trusted: ${problem}`, advice }
  return validToMs - nowMs < soonMs ? { verdict: 'warn', text, advice } : { verdict: 'ok', text }
}

/** Reads the certificate of an `https://` address. Rejects if nothing answers. `ca` replaces the usual trusted ones. */
export function readCertificate(address: URL, ca?: string): Promise<ServedCertificate> {
  const { promise, resolve, reject } = Promise.withResolvers<ServedCertificate>()
  const host = address.hostname.replace(/^\[|\]$/g, '')
  const port = address.port === '' ? 443 : Number(address.port)
  // Problems of the certificate are reported, not refused.
  const socket = connect({ host, port, servername: host, rejectUnauthorized: false, ...(ca !== undefined && { ca }) })
  socket.setTimeout(limitMs, () => socket.destroy(new Error(`${address.host} does not answer`)))
  socket.once('error', reject)
  socket.once('secureConnect', () => {
    const { valid_to: validTo } = socket.getPeerCertificate()
    const problem = socket.authorized ? undefined : String(socket.authorizationError)
    resolve({ validToMs: Date.parse(validTo), problem })
    socket.destroy()
  })
  return promise
}
