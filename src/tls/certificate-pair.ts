/** Certificates with their private keys, checked before a server uses them. */
import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto'
import { isIP } from 'node:net'
import { errorText } from '../core/error-text.ts'

/** Error of a certificate that cannot be used. The message names the file or the fault, and the next step. */
export class CertificateError extends Error {
  override name = 'CertificateError'
}

/** Certificate with its chain and key, both as PEM. */
export interface CertificatePair {
  readonly certificate: string
  readonly key: string
  readonly facts: CertificateFacts
}

export interface CertificateFacts {
  /** Names and addresses that it is for. */
  readonly names: readonly string[]
  readonly issuer: string
  /** Milliseconds UTC. */
  readonly validFromMs: number
  readonly validToMs: number
  /** SHA-256 in hex with colons. */
  readonly fingerprint: string
}

/** Begin of each certificate in a chain. One that is cut off counts too, so that a half-written file is seen. */
const certificateBegins = /(?=-----BEGIN CERTIFICATE-----)/
/** Shortest RSA key that browsers accept. */
const leastRsaBits = 2048

interface PairText {
  readonly certificate: string
  readonly key: string
  /** Names of the sources in errors, such as paths. */
  readonly certificateName: string
  readonly keyName: string
}

/** Reads a pair. Throws CertificateError if it is no pair, or if its time is not now. */
export function readPair({ certificate, key, certificateName, keyName }: PairText, nowMs: number): CertificatePair {
  const leaf = readChain(certificate, certificateName)
  const privateKey = readKey(key, keyName)
  if (!leaf.checkPrivateKey(privateKey))
    throw new CertificateError(
      `${keyName} is not the key of the first certificate in ${certificateName}; the file must begin with the server's own certificate`,
    )
  const { modulusLength = leastRsaBits } = privateKey.asymmetricKeyDetails ?? {}
  if (modulusLength < leastRsaBits)
    throw new CertificateError(
      `the key in ${keyName} has ${modulusLength} bits, and clients accept ${leastRsaBits} or more; make a new one with its certificate`,
    )
  const facts = factsOf(leaf)
  const until = new Date(facts.validToMs).toISOString()
  if (facts.validToMs <= nowMs)
    throw new CertificateError(`the certificate in ${certificateName} ended at ${until}; put a new one there`)
  if (facts.validFromMs > nowMs)
    throw new CertificateError(
      `the certificate in ${certificateName} begins at ${new Date(facts.validFromMs).toISOString()}; check the clock of this machine`,
    )
  return { certificate, key, facts }
}

/** Returns the first certificate of a chain, of which every one can be read. */
function readChain(pem: string, name: string): X509Certificate {
  try {
    const pieces = pem.split(certificateBegins).filter((piece) => piece.startsWith('-----BEGIN CERTIFICATE-----'))
    const [leaf] = pieces.map((one) => new X509Certificate(one))
    if (leaf !== undefined) return leaf
  } catch {
    // Told below.
  }
  throw new CertificateError(
    `${name} holds no certificate in PEM (-----BEGIN CERTIFICATE-----), or one that is damaged`,
  )
}

function readKey(pem: string, name: string): KeyObject {
  try {
    return createPrivateKey(pem)
  } catch (error) {
    if (/ENCRYPTED/.test(pem))
      throw new CertificateError(
        `the key in ${name} has a passphrase; store it without one, readable for inferd's user alone ('openssl pkey -in OLD -out NEW')`,
      )
    throw new CertificateError(`${name} holds no private key in PEM (-----BEGIN PRIVATE KEY-----): ${errorText(error)}`)
  }
}

export function factsOf(leaf: X509Certificate): CertificateFacts {
  const names = (leaf.subjectAltName ?? '')
    .split(', ')
    .flatMap((entry) => /^(?:DNS|IP Address):(.+)$/.exec(entry)?.[1] ?? [])
  return {
    names: names.map((name) => (isIP(name) === 6 ? plainAddress(name) : name)),
    issuer: leaf.issuer.replaceAll('\n', ', '),
    validFromMs: Date.parse(leaf.validFrom),
    validToMs: Date.parse(leaf.validTo),
    fingerprint: leaf.fingerprint256,
  }
}

/** Returns whether a certificate is for a host: a name, one below a wildcard, or an address without brackets. */
export function isFor(names: readonly string[], host: string): boolean {
  const wanted = isIP(host) === 6 ? plainAddress(host) : host.toLowerCase()
  const wildcard = isIP(host) === 0 ? `*${wanted.slice(wanted.indexOf('.'))}` : wanted
  return names.some(
    (name) => name.toLowerCase() === wanted || (wanted.includes('.') && name.toLowerCase() === wildcard),
  )
}

/** Returns an IPv6 address in its shortest form. */
export function plainAddress(address: string): string {
  return new URL(`http://[${address}]`).hostname.slice(1, -1)
}
