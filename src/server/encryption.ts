/** TLS of a running server: which certificate it uses, and where that comes from. */
import { isIP } from 'node:net'
import { hostname, networkInterfaces } from 'node:os'
import { setTimeout } from 'node:timers/promises'
import { type Config, version } from '../config/config.ts'
import { readCertificates } from '../config/hub.ts'
import { errorText } from '../core/error-text.ts'
import { machineNames } from '../http/own-host.ts'
import type { HttpEncryption } from '../http/services.ts'
import type { Log } from '../telemetry/log.ts'
import type { CertificateFacts, CertificatePair } from '../tls/certificate-pair.ts'
import { type CertificateSource, Certificates } from '../tls/certificates.ts'
import { fileSource } from '../tls/file-source.ts'
import type { WantedNames } from '../tls/own-authority.ts'
import { readPairFiles } from '../tls/pair-files.ts'
import { tlsFolder } from '../tls/tls-folder.ts'
import { StartError } from './start-conditions.ts'

/** State of TLS, as commands show it */
export interface TlsStatus extends CertificateFacts {
  readonly mode: Config['tls']
  /** Reason why there is no newer certificate. Undefined if none is needed. */
  readonly problem: string | undefined
}

export interface Encryption {
  /** Certificate at the start */
  readonly pair: CertificatePair
  /** Parts for requests and connections */
  readonly http: HttpEncryption
  /** Begins to use newer certificates. */
  follow(follower: CertificateFollower): void
  /** Looks for a newer certificate now. Never rejects. */
  look(): Promise<void>
  status(): TlsStatus
  stop(): void
}

interface CertificateFollower {
  /** Uses a pair for new connections. */
  readonly use: (pair: CertificatePair) => void
  /** Called at most once a day while the certificate ends soon. */
  readonly onExpiring: (pair: CertificatePair) => void
}

interface EncryptionContext {
  readonly log: Log
  readonly clock: () => number
}

interface WayContext extends Pick<EncryptionContext, 'clock'> {
  /** Aborted when the server stops. */
  readonly signal: AbortSignal
}

/** Gets the first certificate. Undefined without TLS. Rejects with StartError if there is none to start with. */
export async function openEncryption(config: Config, context: EncryptionContext): Promise<Encryption | undefined> {
  if (config.tls === 'off') return undefined
  const { log, clock } = context
  const stopping = new AbortController()
  let follower: CertificateFollower | undefined
  const startError = (error: unknown) => {
    throw new StartError(`tls = ${config.tls}: ${errorText(error)}`)
  }
  const { source, http } = await waysOf[config.tls](config, { clock, signal: stopping.signal }).catch(startError)
  const certificates = new Certificates({
    ...{ source, clock },
    onPair: (pair) => {
      follower?.use(pair)
      log.info(shown(pair), 'new certificate in use')
    },
    onProblem: (reason) => log.warn({ reason }, 'no new certificate; the old one stays in use'),
    onExpiring: (pair) => {
      log.warn(shown(pair), 'the certificate ends soon')
      follower?.onExpiring(pair)
    },
  })
  const pair = await certificates.start().catch(startError)
  return {
    ...{ pair, http },
    follow: (next) => {
      follower = next
      // Here first, because an authority's challenges need the listening server.
      void certificates.look()
    },
    look: () => certificates.look(),
    status: () => ({ mode: config.tls, ...(certificates.current ?? pair).facts, problem: certificates.problem }),
    stop: () => {
      stopping.abort()
      certificates.stop()
    },
  }
}

function shown({ facts: { names, validToMs, issuer } }: CertificatePair) {
  return { names, issuer, until: new Date(validToMs).toISOString() }
}

interface Way {
  readonly source: CertificateSource
  readonly http: HttpEncryption
}

const withoutChallenges: HttpEncryption = {
  rootCertificate: undefined,
  answerTo: () => undefined,
  portOfProtocol: () => undefined,
}

type WayOf = (config: Config, context: WayContext) => Promise<Way>

const waysOf: Readonly<Record<Exclude<Config['tls'], 'off'>, WayOf>> = {
  files: async ({ tlsCert = '', tlsKey = '', publicUrl }, { clock }) => {
    const publicHost = publicUrl === undefined ? undefined : hostOf(publicUrl)
    const source = fileSource({ certificatePath: tlsCert, keyPath: tlsKey, publicHost, clock })
    return { source, http: withoutChallenges }
  },
  'own-ca': async (config, { clock }) => {
    const { ownAuthority, openRoot } = await import('../tls/own-authority.ts')
    const options = { folder: tlsFolder(config.data), machine: hostname(), names: () => ownNames(config), clock }
    const root = await openRoot(options)
    return { source: ownAuthority(root, options), http: { ...withoutChallenges, rootCertificate: root.certificate } }
  },
  acme: async (config, { clock, signal }) => {
    const [{ acmeSource }, { httpChallenges, tlsChallenges }] = await Promise.all([
      import('../tls/acme/acme-source.ts'),
      import('../tls/acme/challenges.ts'),
    ])
    const {
      acmeNames,
      acmeChallenge: challenge,
      acmeCa,
      acmeMail: mail,
      acmeDirectory: directoryUrl,
      publicUrl,
    } = config
    const challenger = challenge === 'http-01' ? httpChallenges() : tlsChallenges(clock)
    const source = acmeSource({
      folder: tlsFolder(config.data),
      names: acmeNames.length > 0 ? acmeNames : [hostOf(publicUrl ?? '')],
      ca: acmeCa === undefined ? undefined : readCertificates('acme-ca', acmeCa),
      userAgent: `inferd/${version}`,
      ...{ directoryUrl, mail, challenge, challenger, clock, signal },
      pause: (ms) => setTimeout(ms, undefined, { signal }),
    })
    return { source, http: { ...challenger, rootCertificate: undefined } }
  },
}

/** Requires that the files of a certificate can be used, as at a start. Throws CertificateError. */
export function requireCertificate({ tls, tlsCert = '', tlsKey = '' }: Config, nowMs: number): void {
  if (tls === 'files') readPairFiles({ certificatePath: tlsCert, keyPath: tlsKey }, nowMs)
}

/** Returns the names under which clients reach this machine, for its own authority. */
function ownNames({ host, publicUrl, allowedHosts }: Config): WantedNames {
  const own = Object.values(networkInterfaces()).flatMap((addresses = []) =>
    addresses.filter(({ address }) => !address.startsWith('fe80:')).map(({ address }) => address),
  )
  const isEverywhere = ['0.0.0.0', '::', '[::]'].includes(host)
  const bare = host.replace(/^\[|\]$/g, '')
  const addresses = isEverywhere ? own.filter((address) => host !== '0.0.0.0' || isIP(address) === 4) : [bare]
  const names = [
    ...(publicUrl === undefined ? [] : [hostOf(publicUrl)]),
    ...[...machineNames(hostname()), ...allowedHosts, 'localhost', '127.0.0.1', '::1'],
    ...addresses.filter((address) => isIP(address) !== 6 || !isEverywhere),
  ]
  return { required: [...new Set(names)].filter((name) => name !== ''), welcome: isEverywhere ? addresses : [] }
}

/** Returns the host of an address, IPv6 without brackets. */
function hostOf(address: string): string {
  return new URL(address).hostname.replace(/^\[|\]$/g, '')
}
