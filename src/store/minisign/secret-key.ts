import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  scrypt,
} from 'node:crypto'
import { constants, readFileSync, statSync } from 'node:fs'
import type { PublicKey } from './public-key.ts'
import { decodeBase64, MinisignError, untrusted } from './text.ts'

export interface SecretKey {
  readonly publicKey: PublicKey
  /** 32 bytes from which the key is derived. */
  readonly seed: Buffer
}

/**
 * Offsets in a secret key's file after base64. Its last part is key id, seed, public key and checksum, XORed with the
 * scrypt stream.
 */
const layout = { algorithm: 0, derivation: 2, checksum: 4, salt: 6, operations: 38, memory: 46, secret: 54, end: 158 }
const secretBytes = layout.end - layout.secret
const algorithm = Buffer.from('Ed')
const checksumAlgorithm = Buffer.from('B2')
const byScrypt = Buffer.from('Sc')
const unencrypted = Buffer.from([0, 0])
/** Cost limits of deriving the stream from a password, in libsodium's units. */
export interface DerivationLimits {
  readonly operations: bigint
  readonly memoryBytes: bigint
}
/** libsodium's "sensitive", which minisign uses: scrypt with N = 2^20, r = 8, p = 1, about two seconds and 1 GiB. */
const sensitive: DerivationLimits = { operations: 2n ** 25n, memoryBytes: 2n ** 30n }
/** Lowest limits: minisign halves both if there is less memory. */
const least: DerivationLimits = { operations: 2n ** 15n, memoryBytes: 2n ** 24n }
const blockSize = 8
/** DER prefix of an Ed25519 secret key. The 32 bytes of the seed follow. */
const derPrefix = Buffer.from('302e020100300506032b657004220420', 'hex')

export function generateSecretKey(): SecretKey {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const last32 = (der: Buffer) => der.subarray(-32)
  return {
    publicKey: { id: randomBytes(8), ed25519: last32(publicKey.export({ format: 'der', type: 'spki' })) },
    seed: last32(privateKey.export({ format: 'der', type: 'pkcs8' })),
  }
}

/** Returns minisign's file of a secret key. Without a password anybody who reads it can sign. */
export async function secretKeyFile(
  key: SecretKey,
  password: string | undefined,
  limits: DerivationLimits = sensitive,
): Promise<string> {
  const { id, ed25519 } = key.publicKey
  const bytes = Buffer.alloc(layout.end)
  bytes.set(algorithm, layout.algorithm)
  bytes.set(password === undefined ? unencrypted : byScrypt, layout.derivation)
  bytes.set(checksumAlgorithm, layout.checksum)
  bytes.set(Buffer.concat([id, key.seed, ed25519, checksumOf(key)]), layout.secret)
  if (password !== undefined) {
    bytes.set(randomBytes(32), layout.salt)
    bytes.writeBigUInt64LE(limits.operations, layout.operations)
    bytes.writeBigUInt64LE(limits.memoryBytes, layout.memory)
    await applyStream(bytes, password)
  }
  return `${untrusted}minisign encrypted secret key\n${bytes.toString('base64')}\n`
}

/** Returns whether a secret key's file needs a password. Throws MinisignError. */
export function isEncrypted(file: string): boolean {
  return !derivationOf(decodeFile(file)).equals(unencrypted)
}

/** Reads a secret key's file. Throws MinisignError, also if the password is wrong or missing. */
export async function parseSecretKey(file: string, password: string | undefined): Promise<SecretKey> {
  const bytes = decodeFile(file)
  const encrypted = !derivationOf(bytes).equals(unencrypted)
  if (encrypted) {
    if (password === undefined) throw new MinisignError('is encrypted and needs its password')
    await applyStream(bytes, password)
  }
  const secret = bytes.subarray(layout.secret)
  const seed = secret.subarray(8, 40)
  const key = { publicKey: { id: secret.subarray(0, 8), ed25519: secret.subarray(40, 72) }, seed }
  // minisign writes no checksum into a file that is not encrypted.
  if (encrypted && !checksumOf(key).equals(secret.subarray(72))) throw new MinisignError('has another password')
  if (!ed25519Of(seed).equals(key.publicKey.ed25519))
    throw new MinisignError('is damaged: its two halves do not go together')
  return key
}

export function signingKey({ seed }: SecretKey): KeyObject {
  return privateKeyOf(seed)
}

function privateKeyOf(seed: Buffer): KeyObject {
  return createPrivateKey({ key: Buffer.concat([derPrefix, seed]), format: 'der', type: 'pkcs8' })
}

function ed25519Of(seed: Buffer): Buffer {
  return createPublicKey(privateKeyOf(seed)).export({ format: 'der', type: 'spki' }).subarray(-32)
}

function decodeFile(file: string): Buffer {
  const [comment, encoded = '', ...rest] = file.trimEnd().split(/\r?\n/)
  const bytes = decodeBase64(encoded)
  const isKey = comment?.startsWith(untrusted) && rest.length === 0 && bytes?.length === layout.end
  const isKnown =
    isKey &&
    bytes.subarray(0, layout.derivation).equals(algorithm) &&
    bytes.subarray(layout.checksum, layout.salt).equals(checksumAlgorithm) &&
    [byScrypt, unencrypted].some((known) => known.equals(derivationOf(bytes)))
  if (!isKnown) throw new MinisignError('is no minisign secret key')
  return bytes
}

function derivationOf(bytes: Buffer): Buffer {
  return bytes.subarray(layout.derivation, layout.checksum)
}

function checksumOf({ publicKey: { id, ed25519 }, seed }: SecretKey): Buffer {
  return createHash('blake2b256').update(algorithm).update(id).update(seed).update(ed25519).digest()
}

/** Encrypts or decrypts the last part in place. Throws MinisignError if its parameters are not minisign's own. */
async function applyStream(bytes: Buffer, password: string): Promise<void> {
  const limits = {
    operations: bytes.readBigUInt64LE(layout.operations),
    memoryBytes: bytes.readBigUInt64LE(layout.memory),
  }
  const isBetween = (name: keyof DerivationLimits) => limits[name] >= least[name] && limits[name] <= sensitive[name]
  if (!isBetween('operations') || !isBetween('memoryBytes'))
    throw new MinisignError('is encrypted with parameters that minisign does not use')
  const stream = await scryptStream(password, bytes.subarray(layout.salt, layout.operations), limits)
  const secret = bytes.subarray(layout.secret)
  for (const [index, byte] of stream.entries()) secret[index] = (secret[index] ?? 0) ^ byte
}

function scryptStream(password: string, salt: Buffer, limits: DerivationLimits): Promise<Buffer> {
  const options = { ...scryptParameters(limits), blockSize, maxmem: 2 * Number(sensitive.memoryBytes) }
  return new Promise((resolve, reject) => {
    scrypt(password, salt, secretBytes, options, (error, stream) => (error ? reject(error) : resolve(stream)))
  })
}

/** Returns the scrypt parameters that libsodium derives from its limits. */
function scryptParameters({ operations, memoryBytes }: DerivationLimits) {
  const powerBelow = (limit: bigint) => 2 ** (limit.toString(2).length - 1)
  if (operations < memoryBytes / 32n)
    return { cost: powerBelow(operations / BigInt(blockSize * 4)), parallelization: 1 }
  const cost = powerBelow(memoryBytes / BigInt(blockSize * 128))
  return { cost, parallelization: Math.floor(Number(operations) / 4 / cost / blockSize) }
}

/**
 * Reads the secret key in a file; calls `askPassword` if it is encrypted. An unencrypted one must not be accessible to
 * others. Throws MinisignError.
 */
export async function readSecretKey(path: string, askPassword: () => Promise<string | undefined>): Promise<SecretKey> {
  const file = read(path)
  if (isEncrypted(file)) return await parseSecretKey(file, await askPassword())
  const { S_IRWXG, S_IRWXO } = constants
  if ((statSync(path).mode & (S_IRWXG | S_IRWXO)) !== 0) {
    throw new MinisignError(`is not encrypted and open to other users; close it: chmod 600 ${path}`)
  }
  return await parseSecretKey(file, undefined)
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw new MinisignError(`cannot be read (${error instanceof Error && 'code' in error ? error.code : error})`)
  }
}
