/** Certificates and requests for them, made by @peculiar/x509 with P-256 keys. The library is loaded on first use. */
import { createPrivateKey, createPublicKey, generateKeyPairSync, randomBytes } from 'node:crypto'
import { isIP } from 'node:net'
import type { Extension, JsonGeneralName } from '@peculiar/x509'

const signing = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const

async function library() {
  // Must be there before the library, which describes its classes by it.
  await import('reflect-metadata')
  return import('@peculiar/x509')
}

type Library = Awaited<ReturnType<typeof library>>

/** Returns a new private key as PEM. */
export function newKey(): string {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' })
    .privateKey.export({ type: 'pkcs8', format: 'pem' })
    .toString()
}

/** Period of validity, milliseconds UTC */
export interface Period {
  readonly fromMs: number
  readonly toMs: number
}

/** Returns the certificate of a new authority as PEM. It can sign servers' certificates and no other authority's. */
export async function makeRoot(key: string, name: string, period: Period): Promise<string> {
  const x509 = await library()
  const keys = await keysOf(key)
  const made = await x509.X509CertificateGenerator.createSelfSigned({
    ...common(period),
    name: [{ CN: [name] }],
    keys,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  })
  return made.toString('pem')
}

interface LeafOptions {
  readonly key: string
  readonly names: readonly string[]
  readonly period: Period
  readonly authority: { readonly certificate: string; readonly key: string }
}

/** Returns a server's certificate as PEM, signed by an authority. */
export async function makeLeaf({ key, names, period, authority }: LeafOptions): Promise<string> {
  const x509 = await library()
  const { publicKey } = await keysOf(key)
  const issuer = new x509.X509Certificate(authority.certificate)
  const made = await x509.X509CertificateGenerator.create({
    ...common(period),
    subject: [{ CN: [names[0]?.slice(0, 64) ?? 'inferd'] }],
    issuer: issuer.subjectName,
    publicKey,
    signingKey: (await keysOf(authority.key)).privateKey,
    extensions: [
      ...serverExtensions(x509, names),
      await x509.AuthorityKeyIdentifierExtension.create(issuer.publicKey),
      await x509.SubjectKeyIdentifierExtension.create(publicKey),
    ],
  })
  return made.toString('pem')
}

const uncertified = 'not yet certified'

/** Returns whether a certificate is one of `makeSelfSigned`. */
export function isSelfSigned({ issuer }: { readonly issuer: string }): boolean {
  return issuer.includes(uncertified)
}

/** Returns a certificate that no client trusts, for the time until there is another or for one check of an authority. */
export async function makeSelfSigned(
  key: string,
  names: readonly string[],
  period: Period,
  others: (x509: Library) => readonly Extension[] = () => [],
): Promise<string> {
  const x509 = await library()
  const keys = await keysOf(key)
  const extensions = [...serverExtensions(x509, names), ...others(x509)]
  const made = await x509.X509CertificateGenerator.createSelfSigned({
    ...{ ...common(period), name: [{ CN: [`inferd, ${uncertified}`] }], keys, extensions },
  })
  return made.toString('pem')
}

/** Returns the request for a certificate of these names in DER. */
export async function makeRequest(key: string, names: readonly string[]): Promise<Uint8Array> {
  const x509 = await library()
  const extensions = [new x509.SubjectAlternativeNameExtension(generalNames(names))]
  const options = { keys: await keysOf(key), signingAlgorithm: signing, extensions }
  return new Uint8Array((await x509.Pkcs10CertificateRequestGenerator.create(options)).rawData)
}

/** Returns key identifier of the authority and serial number of a certificate. Undefined without the first. */
export async function identityOf(
  certificate: string,
): Promise<{ readonly authority: Uint8Array; readonly serial: Uint8Array } | undefined> {
  const x509 = await library()
  const read = new x509.X509Certificate(certificate)
  const { keyId } = read.getExtension(x509.AuthorityKeyIdentifierExtension) ?? {}
  if (keyId === undefined) return undefined
  return { authority: Buffer.from(keyId, 'hex'), serial: Buffer.from(read.serialNumber, 'hex') }
}

function serverExtensions(x509: Library, names: readonly string[]): Extension[] {
  return [
    new x509.BasicConstraintsExtension(false, undefined, true),
    new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
    new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
    new x509.SubjectAlternativeNameExtension(generalNames(names)),
  ]
}

function generalNames(names: readonly string[]): JsonGeneralName[] {
  return names.map((value) => ({ type: isIP(value) === 0 ? 'dns' : 'ip', value }))
}

function common({ fromMs, toMs }: Period) {
  // Positive, and not zero, as the standard wants.
  const serialNumber = `4${randomBytes(16).toString('hex').slice(1)}`
  return { serialNumber, notBefore: new Date(fromMs), notAfter: new Date(toMs), signingAlgorithm: signing }
}

async function keysOf(pem: string): Promise<CryptoKeyPair> {
  const key = createPrivateKey(pem)
  const [secret, open] = [key.export({ type: 'pkcs8', format: 'der' }), createPublicKey(key)]
  const { subtle } = crypto
  return {
    privateKey: await subtle.importKey('pkcs8', new Uint8Array(secret), signing, true, ['sign']),
    publicKey: await subtle.importKey(
      'spki',
      new Uint8Array(open.export({ type: 'spki', format: 'der' })),
      signing,
      true,
      ['verify'],
    ),
  }
}
