/**
 * Keys and signatures made by the stock tool, minisign 0.11, stand in `fixtures/`. Our code must read them, and write
 * the same form.
 */
import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parsePublicKey, publicKeyFile, publicKeyText } from './public-key.ts'
import { generateSecretKey, isEncrypted, parseSecretKey, type SecretKey, secretKeyFile } from './secret-key.ts'
import { formatSignature, isSignedBy, parseSignature, signContent } from './signature.ts'
import { MinisignError } from './text.ts'

const fixture = (name: string) => readFileSync(join(import.meta.dir, 'fixtures', name), 'utf8')
const content = Buffer.from(fixture('content.txt'))
const password = 'correct horse'
/** Limits that minisign takes when memory is short. */
const small = { operations: 2n ** 20n, memoryBytes: 2n ** 25n }

function isKey(key: SecretKey, publicKey: string): void {
  expect(publicKeyText(key.publicKey)).toBe(publicKeyText(parsePublicKey(publicKey)))
}

test.each(['plain', 'encrypted', 'small'])('a signature of the stock tool with its %s key is valid', (name) => {
  const key = parsePublicKey(fixture(`${name}.pub`))
  const signature = parseSignature(fixture(`${name}.minisig`))
  expect(isSignedBy(key, signature, content)).toBe(true)
  expect(formatSignature(signature)).toBe(fixture(`${name}.minisig`))
  expect(publicKeyFile(key)).toBe(fixture(`${name}.pub`))
})

test.each(['plain', 'encrypted', 'small'])(
  'the stock tool’s %s secret key is read, and signs what its public key verifies',
  async (name) => {
    const file = fixture(`${name}.key`)
    expect(isEncrypted(file)).toBe(name !== 'plain')
    const key = await parseSecretKey(file, isEncrypted(file) ? password : undefined)
    isKey(key, fixture(`${name}.pub`))
    const signature = parseSignature(formatSignature(signContent(key, content, 'bundle a serial 1')))
    expect(isSignedBy(parsePublicKey(fixture(`${name}.pub`)), signature, content)).toBe(true)
    // Ed25519 is deterministic: signing the same content again gives the same bytes.
    const comment = parseSignature(fixture(`${name}.minisig`)).trustedComment
    expect(formatSignature(signContent(key, content, comment))).toBe(fixture(`${name}.minisig`))
  },
)

test('a secret key that is written is read again, with its password alone', async () => {
  const key = generateSecretKey()
  isKey(await parseSecretKey(await secretKeyFile(key, undefined), undefined), publicKeyText(key.publicKey))
  const file = await secretKeyFile(key, 'Ω password', small)
  isKey(await parseSecretKey(file, 'Ω password'), publicKeyText(key.publicKey))
  expect(parseSecretKey(file, 'password')).rejects.toThrow('has another password')
  expect(parseSecretKey(file, undefined)).rejects.toThrow('is encrypted and needs its password')
})

test('a secret key whose file was damaged is refused', async () => {
  const lines = fixture('plain.key').split('\n')
  const bytes = Buffer.from(lines[1] ?? '', 'base64')
  const damaged = (offset: number) => {
    const copy = Buffer.from(bytes)
    copy[offset] = (copy[offset] ?? 0) ^ 1
    return `${lines[0]}\n${copy.toString('base64')}\n`
  }
  for (const offset of [0, 2, 4, 70, 100])
    expect(parseSecretKey(damaged(offset), undefined)).rejects.toThrow(MinisignError)
  expect(() => isEncrypted(fixture('plain.pub'))).toThrow('is no minisign secret key')
})

test('parameters that would take all memory are refused', async () => {
  const limits = { operations: 2n ** 40n, memoryBytes: 2n ** 25n }
  expect(secretKeyFile(generateSecretKey(), 'x', limits)).rejects.toThrow('parameters that minisign does not use')
})

test('a legacy signature, which does not hash the content first, is refused', () => {
  expect(() => parseSignature(fixture('legacy.minisig'))).toThrow('legacy form; sign again without -l')
})

test('no byte of a signature can change unnoticed', () => {
  const key = parsePublicKey(fixture('plain.pub'))
  const file = Buffer.from(fixture('plain.minisig'))
  for (let offset = 0; offset < file.length; offset++) {
    for (let bit = 0; bit < 8; bit++) {
      const changed = Buffer.from(file)
      changed[offset] = (changed[offset] ?? 0) ^ (1 << bit)
      expect(isAccepted(changed.toString())).toBe(false)
    }
  }
  expect(isAccepted(file.toString())).toBe(true)
  expect(isAccepted(`${file}\n`)).toBe(false)
  expect(isSignedBy(key, parseSignature(file.toString()), Buffer.from('other'))).toBe(false)

  function isAccepted(text: string): boolean {
    try {
      return isSignedBy(key, parseSignature(text), content)
    } catch (error) {
      if (error instanceof MinisignError) return false
      throw error
    }
  }
})

test('another key has not signed it, not even one with the same id', () => {
  const signature = parseSignature(fixture('plain.minisig'))
  const other = parsePublicKey(fixture('encrypted.pub'))
  expect(isSignedBy(other, signature, content)).toBe(false)
  expect(isSignedBy({ ...other, id: signature.keyId }, signature, content)).toBe(false)
})

test.each(['', 'RW', fixture('plain.key'), fixture('plain.pub').slice(0, -3), `${fixture('plain.pub')}x`])(
  '%j is no public key',
  (text) => {
    expect(() => parsePublicKey(text)).toThrow('is no minisign public key')
  },
)
