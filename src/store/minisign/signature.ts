import { createHash, sign, verify } from 'node:crypto'
import { type PublicKey, verifyingKey } from './public-key.ts'
import { type SecretKey, signingKey } from './secret-key.ts'
import { decodeBase64, MinisignError, untrusted } from './text.ts'

export interface Signature {
  /** Id of the signing key, 8 bytes. */
  readonly keyId: Buffer
  /** Signature of the content's BLAKE2b-512. */
  readonly ofContent: Buffer
  /** Comment that is signed, unlike the first line of the file. */
  readonly trustedComment: string
  /** Signature of the other signature and the trusted comment. */
  readonly ofAll: Buffer
}

/** Algorithm mark: `ED` hashes the content first. minisign's older `Ed`, which signs the content itself, is refused. */
const hashed = Buffer.from('ED')
const legacy = Buffer.from('Ed')
const firstLine = `${untrusted}signature from minisign secret key`
const trusted = 'trusted comment: '

/** Signs content in memory. `trustedComment` is one line. */
export function signContent(key: SecretKey, content: Uint8Array, trustedComment: string): Signature {
  const secret = signingKey(key)
  const ofContent = sign(null, blake2b512(content), secret)
  const ofAll = sign(null, allOf(ofContent, trustedComment), secret)
  return { keyId: key.publicKey.id, ofContent, trustedComment, ofAll }
}

/** Returns whether the key has signed this content and this trusted comment. */
export function isSignedBy(key: PublicKey, signature: Signature, content: Uint8Array): boolean {
  const { keyId, ofContent, trustedComment, ofAll } = signature
  if (!keyId.equals(key.id)) return false
  const verifying = verifyingKey(key)
  return (
    verify(null, blake2b512(content), verifying, ofContent) &&
    verify(null, allOf(ofContent, trustedComment), verifying, ofAll)
  )
}

export function formatSignature({ keyId, ofContent, trustedComment, ofAll }: Signature): string {
  const first = Buffer.concat([hashed, keyId, ofContent]).toString('base64')
  return `${firstLine}\n${first}\n${trusted}${trustedComment}\n${ofAll.toString('base64')}\n`
}

/**
 * Reads a signature's file. Only one form is valid, including the first line, so that no byte of it can change
 * unnoticed. Throws MinisignError.
 */
export function parseSignature(text: string): Signature {
  const [, first = '', comment = '', last = ''] = text.split('\n')
  const [bytes, ofAll] = [first, last].map(decodeBase64)
  if (bytes?.subarray(0, 2).equals(legacy)) throw new MinisignError('is of the legacy form; sign again without -l')
  if (bytes?.length === 74 && ofAll?.length === 64) {
    const signature = {
      keyId: bytes.subarray(2, 10),
      ofContent: bytes.subarray(10),
      trustedComment: comment.slice(trusted.length),
      ofAll,
    }
    if (formatSignature(signature) === text) return signature
  }
  throw new MinisignError('is no signature of minisign, or is damaged')
}

function allOf(ofContent: Buffer, trustedComment: string): Buffer {
  return Buffer.concat([ofContent, Buffer.from(trustedComment)])
}

function blake2b512(content: Uint8Array): Buffer {
  return createHash('blake2b512').update(content).digest()
}
