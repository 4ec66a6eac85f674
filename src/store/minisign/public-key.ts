import { createPublicKey, type KeyObject } from 'node:crypto'
import { decodeBase64, MinisignError, untrusted } from './text.ts'

/** Public key of minisign: an Ed25519 key with a random id, by which signatures name it. */
export interface PublicKey {
  /** 8 bytes. */
  readonly id: Buffer
  /** 32 bytes. */
  readonly ed25519: Buffer
}

const algorithm = Buffer.from('Ed')
const idEnd = 10
const keyBytes = 42
/** DER prefix of an Ed25519 public key. The 32 bytes follow. */
const derPrefix = Buffer.from('302a300506032b6570032100', 'hex')

/** Reads the 56 characters `RW…`, or minisign's file of them. Throws MinisignError. */
export function parsePublicKey(text: string): PublicKey {
  const lines = text.trim().split(/\r?\n/)
  const isFile = lines.length === 2 && lines[0]?.startsWith(untrusted)
  const bytes = lines.length === 1 || isFile ? decodeBase64(lines.at(-1) ?? '') : undefined
  if (bytes?.length !== keyBytes || !bytes.subarray(0, 2).equals(algorithm))
    throw new MinisignError('is no minisign public key: expected 56 characters that begin with RW')
  return { id: bytes.subarray(2, idEnd), ed25519: bytes.subarray(idEnd) }
}

/** Returns the 56 characters `RW…`, which name the key everywhere and are its fingerprint. */
export function publicKeyText({ id, ed25519 }: PublicKey): string {
  return Buffer.concat([algorithm, id, ed25519]).toString('base64')
}

/** Returns minisign's file of a public key. */
export function publicKeyFile(key: PublicKey): string {
  return `${untrusted}minisign public key ${keyIdText(key.id)}\n${publicKeyText(key)}\n`
}

/** Returns the id as minisign prints it. */
export function keyIdText(id: Buffer): string {
  return Buffer.from(id).reverse().toString('hex').toUpperCase()
}

export function verifyingKey({ ed25519 }: PublicKey): KeyObject {
  return createPublicKey({ key: Buffer.concat([derPrefix, ed25519]), format: 'der', type: 'spki' })
}
