/** Certificates by a public authority: ordered at the start, renewed in time, whatever fails in between. */
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { hourMs } from '../../core/durations.ts'
import { errorText } from '../../core/error-text.ts'
import { readIfThere, writePrivateFile } from '../../core/private-file.ts'
import { CertificateError, type CertificatePair, isFor, readPair } from '../certificate-pair.ts'
import type { CertificateSource } from '../certificates.ts'
import { identityOf, isSelfSigned, makeSelfSigned, newKey } from '../make-certificates.ts'
import { AcmeClient } from './acme-client.ts'
import { AcmeError, retryAfterMs } from './acme-error.ts'
import { beginOrder, type Challenger, type ChallengeType, completeOrder } from './acme-order.ts'
import { type AcmeState, readState, writeState } from './acme-state.ts'
import { advisedRenewalMs, usualRenewalMs, waitAfterFailureMs } from './renewal.ts'

export interface AcmeSourceOptions {
  readonly folder: string
  readonly directoryUrl: string
  readonly names: readonly string[]
  /** Address that the authority may write to */
  readonly mail: string | undefined
  /** Certificates by which the authority's server is trusted beside the usual ones. */
  readonly ca: string | undefined
  readonly challenge: ChallengeType
  readonly challenger: Challenger
  readonly userAgent: string
  readonly clock: () => number
  /** Ends a try when the server stops, without counting it as failed. */
  readonly signal: AbortSignal
  readonly pause: (ms: number) => Promise<void>
}

/** Time for which a self-signed certificate stands in for the first one. */
const standInMs = 30 * 24 * hourMs
/** Time between two questions for advice if the authority names none. */
const adviceEveryMs = 6 * hourMs

export function acmeSource(options: AcmeSourceOptions): CertificateSource {
  const { folder, directoryUrl, names, clock } = options
  const paths = { certificate: join(folder, 'acme.pem'), key: join(folder, 'acme.key') }
  let state = readState(folder, directoryUrl)
  let client: AcmeClient | undefined
  const keep = (change: { readonly [Name in keyof AcmeState]?: AcmeState[Name] | undefined }) => {
    // Absent, not undefined, on the disk.
    state = JSON.parse(JSON.stringify({ ...state, ...change })) as AcmeState
    writeState(folder, state)
  }

  return {
    first: async () => stored() ?? standIn(),
    async next(current) {
      // A start with other names, another authority, or without a certificate.
      if (names.every((name) => isFor(current.facts.names, name)) && state.issued === current.facts.fingerprint) {
        const renewMs = await renewalMs(current)
        if (clock() < renewMs) return undefined
      }
      if (clock() < (state.waitUntilMs ?? 0)) throw new AcmeError(waiting(state))
      try {
        const pair = await order(current)
        // Advice is asked for later, lest an authority that always wants a new one gets an order each minute.
        const advice = {
          ...{ fingerprint: pair.facts.fingerprint, renewMs: usualRenewalMs(pair.facts) },
          askAgainMs: clock() + hourMs,
        }
        keep({
          issued: pair.facts.fingerprint,
          failures: 0,
          order: undefined,
          waitUntilMs: undefined,
          problem: undefined,
          advice,
        })
        return pair
      } catch (error) {
        if (options.signal.aborted) return undefined
        const failures = state.failures + 1
        const waitUntilMs = clock() + waitAfterFailureMs(error, failures)
        // An order that failed, is gone at the authority, or ended with a wrong certificate does not come back.
        const isDead = error instanceof CertificateError || (error instanceof AcmeError && isFinal(error))
        client = undefined
        keep({ failures, waitUntilMs, problem: problemOf(error), ...(isDead && { order: undefined }) })
        throw new AcmeError(waiting(state))
      }
    },
  }

  function stored(): CertificatePair | undefined {
    const [certificate, key] = [readIfThere(paths.certificate), readIfThere(paths.key)]
    if (certificate === undefined || key === undefined) return undefined
    try {
      return readPair({ certificate, key, certificateName: paths.certificate, keyName: paths.key }, clock())
    } catch {
      return undefined // It has ended: another one is ordered.
    }
  }

  async function standIn(): Promise<CertificatePair> {
    const key = newKey()
    const certificate = await makeSelfSigned(key, names, { fromMs: clock() - hourMs, toMs: clock() + standInMs })
    return readPair({ certificate, key, certificateName: 'the stand-in', keyName: 'its key' }, clock())
  }

  async function order(current: CertificatePair): Promise<CertificatePair> {
    const acme = await signedIn()
    if (state.order === undefined || state.order.names.join() !== names.join()) {
      const replaces = isSelfSigned(current.facts) ? undefined : await certificateId(current)
      keep({ order: { url: await beginOrder(acme, names, replaces), key: newKey(), names: [...names] } })
    }
    const { order: begun } = state
    if (begun === undefined) throw new Error('an order was just begun; this is a bug')
    const { challenge, challenger, pause } = options
    const certificate = await completeOrder(begun, { client: acme, challenge, challenger, pause, clock })
    const pair = readPair(
      { certificate, key: begun.key, certificateName: "the authority's answer", keyName: 'its key' },
      clock(),
    )
    const problem = flawOf(pair, names, clock())
    if (problem !== undefined) throw new AcmeError(problem, { type: 'orderFailed' })
    writePrivateFile(paths.key, begun.key)
    writePrivateFile(paths.certificate, certificate)
    return pair
  }

  /** Returns a client with an account, made at the first call. */
  async function signedIn(): Promise<AcmeClient> {
    const acme = opened()
    if (acme.account !== undefined) return acme
    const { newAccount } = await acme.directory()
    const contact = options.mail === undefined ? {} : { contact: [`mailto:${options.mail.replace(/^.*<|>$/g, '')}`] }
    // The same key has the same account again after a lost answer.
    const { headers } = await acme.post(newAccount, { termsOfServiceAgreed: true, ...contact })
    const account = headers.get('location')
    if (account === null) throw new AcmeError('the authority makes an account without telling its address')
    acme.account = account
    return acme
  }

  function opened(): AcmeClient {
    if (client !== undefined) return client
    const path = join(folder, 'acme-account.key')
    const kept = readIfThere(path)
    const accountKey = kept ?? newKey()
    if (kept === undefined) writePrivateFile(path, accountKey)
    client = new AcmeClient({ ...options, accountKey })
    return client
  }

  /** Returns when to renew: by the authority's advice if it gives any, else by the life of the certificate. */
  async function renewalMs(current: CertificatePair): Promise<number> {
    const { fingerprint } = current.facts
    const known = state.advice?.fingerprint === fingerprint ? state.advice : undefined
    const usualMs = usualRenewalMs(current.facts)
    if (known !== undefined && clock() < known.askAgainMs) return known.renewMs
    const advice = await askAdvice(current).catch(() => undefined)
    const renewMs = advice?.renewMs ?? known?.renewMs ?? usualMs
    keep({ advice: { fingerprint, renewMs, askAgainMs: advice?.askAgainMs ?? clock() + adviceEveryMs } })
    return renewMs
  }

  async function askAdvice(current: CertificatePair): Promise<{ renewMs: number; askAgainMs: number } | undefined> {
    const acme = opened()
    const { renewalInfo } = await acme.directory()
    const id = await certificateId(current)
    if (renewalInfo === undefined || id === undefined) return undefined
    const { text, headers } = await acme.get(`${renewalInfo}/${id}`)
    const { suggestedWindow } = JSON.parse(text) as { suggestedWindow?: { start?: string; end?: string } }
    const [startMs, endMs] = [Date.parse(suggestedWindow?.start ?? ''), Date.parse(suggestedWindow?.end ?? '')]
    if (Number.isNaN(startMs) || Number.isNaN(endMs)) return undefined
    // The same share each time, so that repeated questions do not move the moment.
    const share = (createHash('sha256').update(id).digest()[0] ?? 0) / 255
    const waitMs = retryAfterMs(headers.get('retry-after'), clock()) ?? adviceEveryMs
    return {
      renewMs: advisedRenewalMs({ startMs, endMs }, current.facts, share),
      askAgainMs: clock() + Math.max(60_000, Math.round(waitMs)),
    }
  }
}

/** Returns the reason why the next look would order another certificate at once. Undefined for one that can be used. */
function flawOf({ facts }: CertificatePair, names: readonly string[], nowMs: number): string | undefined {
  if (!names.every((name) => isFor(facts.names, name)))
    return `the certificate that came is for ${facts.names.join(', ') || 'no name'}`
  const renewMs = usualRenewalMs(facts)
  if (renewMs > nowMs) return undefined
  const renewal = new Date(renewMs).toISOString().slice(0, 10)
  return `the certificate that came was to be renewed on ${renewal}: check the clock of this machine`
}

/** Tells whether an order is lost by this refusal. Rate limits and failures of the authority itself pass. */
function isFinal({ type, status = 0 }: AcmeError): boolean {
  return type === 'orderFailed' || (status >= 400 && status < 500 && status !== 429 && type !== 'rateLimited')
}

/** Identifier of a certificate for advice (RFC 9773). Undefined without an authority's key identifier. */
async function certificateId({ certificate }: CertificatePair): Promise<string | undefined> {
  const { authority, serial } = (await identityOf(certificate)) ?? {}
  if (authority === undefined || serial === undefined) return undefined
  return `${Buffer.from(authority).toString('base64url')}.${Buffer.from(serial).toString('base64url')}`
}

/** Returns the reason of a failure. What is neither a refusal nor silence comes of answers in a form of their own. */
function problemOf(error: unknown): string {
  const isKnown = error instanceof AcmeError || error instanceof CertificateError
  return isKnown ? error.message : `the authority's answer cannot be used: ${errorText(error)}`
}

function waiting({ problem, waitUntilMs = 0 }: AcmeState): string {
  return `${problem}; the next try is at ${new Date(waitUntilMs).toISOString().slice(0, 19)}Z`
}
