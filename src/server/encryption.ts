/** TLS of a running server: which certificate it uses, and where that comes from. */
import type { Config } from '../config/config.ts'
import { errorText } from '../core/error-text.ts'
import type { HttpEncryption } from '../http/services.ts'
import type { Log } from '../telemetry/log.ts'
import type { CertificateFacts, CertificatePair } from '../tls/certificate-pair.ts'
import { type CertificateSource, Certificates } from '../tls/certificates.ts'
import { fileSource } from '../tls/file-source.ts'
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
  /** Begins to use newer certificates: passes each to `use`. */
  follow(use: (pair: CertificatePair) => void): void
  /** Looks for a newer certificate now. Never rejects. */
  look(): Promise<void>
  status(): TlsStatus
  stop(): void
}

interface EncryptionContext {
  readonly log: Log
  readonly clock: () => number
  /** Called at most once a day while the certificate ends soon. */
  readonly onExpiring: (pair: CertificatePair) => void
}

/** Gets the first certificate. Undefined without TLS. Rejects with StartError if there is none to start with. */
export async function openEncryption(config: Config, context: EncryptionContext): Promise<Encryption | undefined> {
  if (config.tls === 'off') return undefined
  const { log, clock, onExpiring } = context
  let use: (pair: CertificatePair) => void = () => undefined
  const { source, http } = waysOf[config.tls](config, context)
  const certificates = new Certificates({
    ...{ source, clock },
    onPair: (pair) => {
      use(pair)
      log.info(shown(pair), 'new certificate in use')
    },
    onProblem: (reason) => log.warn({ reason }, 'no new certificate; the old one stays in use'),
    onExpiring: (pair) => {
      log.warn(shown(pair), 'the certificate ends soon')
      onExpiring(pair)
    },
  })
  const pair = await certificates.start().catch((error: unknown) => {
    throw new StartError(`tls = ${config.tls}: ${errorText(error)}`)
  })
  return {
    ...{ pair, http },
    follow: (next) => {
      use = next
    },
    look: () => certificates.look(),
    status: () => ({ mode: config.tls, ...(certificates.current ?? pair).facts, problem: certificates.problem }),
    stop: () => certificates.stop(),
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

const waysOf: Readonly<Record<Exclude<Config['tls'], 'off'>, (config: Config, context: EncryptionContext) => Way>> = {
  files: ({ tlsCert = '', tlsKey = '', publicUrl }, { clock }) => {
    const publicHost = publicUrl === undefined ? undefined : hostOf(publicUrl)
    const source = fileSource({ certificatePath: tlsCert, keyPath: tlsKey, publicHost, clock })
    return { source, http: withoutChallenges }
  },
  'own-ca': () => {
    throw new StartError('not yet')
  },
  acme: () => {
    throw new StartError('not yet')
  },
}

/** Returns the host of an address, IPv6 without brackets. */
function hostOf(address: string): string {
  return new URL(address).hostname.replace(/^\[|\]$/g, '')
}
