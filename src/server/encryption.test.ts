import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadConfig } from '../config/config.ts'
import { createLog } from '../telemetry/log.ts'
import { LogTail } from '../telemetry/log-tail.ts'
import { expiredCertificate, expiredKey } from '../testing/expired-certificate.ts'
import { certificate, privateKey } from '../testing/own-certificate.ts'
import type { CertificatePair } from '../tls/certificate-pair.ts'
import { openEncryption } from './encryption.ts'

const folder = mkdtempSync(join(tmpdir(), 'inferd-tls-'))
afterAll(() => rmSync(folder, { recursive: true }))

const [certificatePath, keyPath] = [join(folder, 'server.pem'), join(folder, 'server.key')]

function open(files: { readonly certificate?: string; readonly key?: string }, flags: Record<string, string> = {}) {
  rmSync(certificatePath, { force: true })
  rmSync(keyPath, { force: true })
  if (files.certificate !== undefined) writeFileSync(certificatePath, files.certificate)
  if (files.key !== undefined) writeFileSync(keyPath, files.key)
  const tls = { tls: 'files', 'tls-cert': certificatePath, 'tls-key': keyPath }
  const config = loadConfig({ flags: { data: folder, ...tls, ...flags }, environment: {} })
  const tail = new LogTail()
  const log = createLog({ level: 'info', format: 'json', write: () => undefined, tail, complete: (text) => text })
  return openEncryption(config, { log, clock: Date.now })
}

const encrypted =
  '-----BEGIN ENCRYPTED PRIVATE KEY-----\nMIGjMF8GCSqGSIb3DQEFDTBSMDEGCSqGSIb3DQEFDDA\n-----END ENCRYPTED PRIVATE KEY-----\n'

test.each([
  ['no certificate', { key: privateKey }, /there is no file .*server\.pem; check tls-cert/],
  ['no key', { certificate }, /there is no file .*server\.key/],
  ['garbage for a certificate', { certificate: 'x', key: privateKey }, /server\.pem holds no certificate in PEM/],
  ['garbage for a key', { certificate, key: 'x' }, /server\.key holds no private key in PEM/],
  ['a key with a passphrase', { certificate, key: encrypted }, /server\.key has a passphrase; store it without one/],
  [
    'the key of another certificate',
    { certificate, key: expiredKey },
    /server\.key is not the key of the first certificate/,
  ],
  ['an ended certificate', { certificate: expiredCertificate, key: expiredKey }, /server\.pem ended at 2021-01-01/],
])('a start refuses %s and says what to do', async (_, files, message) => {
  const refused: unknown = await open(files).catch((error: unknown) => error)
  expect(refused).toMatchObject({ name: 'StartError', message: expect.stringMatching(message) })
})

test('a start refuses a certificate that is not for the public address', async () => {
  const refused: unknown = await open(
    { certificate, key: privateKey },
    { 'public-url': 'https://ai.example.com' },
  ).catch((error: unknown) => error)
  expect(refused).toMatchObject({ message: expect.stringContaining('is for localhost, and not for ai.example.com') })
})

test('a changed file is used once it is a whole pair, and the old pair stays in use until then', async () => {
  const encryption = await open({ certificate, key: privateKey })
  if (encryption === undefined) throw new Error('no TLS')
  try {
    const used: CertificatePair[] = []
    encryption.follow({ use: (pair) => used.push(pair), onExpiring: () => undefined })
    await encryption.look()
    expect(encryption.status()).toMatchObject({ mode: 'files', names: ['localhost'], problem: undefined })

    writeFileSync(keyPath, expiredKey)
    await encryption.look()
    expect(encryption.status().problem).toContain('is not the key of the first certificate')
    rmSync(keyPath)
    await encryption.look()
    expect(encryption.status().problem).toContain('there is no file')
    expect(used).toEqual([])

    writeFileSync(keyPath, privateKey)
    writeFileSync(certificatePath, `${certificate}\n${expiredCertificate}\n`)
    await encryption.look()
    expect(encryption.status().problem).toBeUndefined()
    expect(used.map((pair) => pair.certificate)).toEqual([`${certificate}\n${expiredCertificate}\n`])
  } finally {
    encryption.stop()
  }
})
