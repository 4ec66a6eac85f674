import { afterAll, expect, test } from 'bun:test'
import { X509Certificate } from 'node:crypto'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { dayMs } from '../core/durations.ts'
import { openRoot, ownAuthority, type WantedNames } from './own-authority.ts'

const root = mkdtempSync(join(tmpdir(), 'inferd-ca-'))
afterAll(() => rmSync(root, { recursive: true }))

function openBox() {
  let nowMs = Date.UTC(2026, 10, 28)
  const folder = mkdtempSync(join(root, 'box-'))
  const names = { required: ['box', 'box.local', '192.168.1.5', '::1'], welcome: ['2001:db8::1'] }
  const options = { folder, machine: 'box', clock: () => nowMs, names: (): WantedNames => names }
  return {
    ...{ folder, names, options },
    source: async () => ownAuthority(await openRoot(options), options),
    pass: (ms: number) => {
      nowMs += ms
    },
  }
}

test('a certificate is for all names and addresses, signed by a root of ten years, and kept', async () => {
  const box = openBox()
  const pair = await (await box.source()).first()
  expect(pair.facts.names).toEqual(['box', 'box.local', '192.168.1.5', '::1', '2001:db8::1'])
  expect(pair.facts.validToMs - pair.facts.validFromMs).toBe(397 * dayMs)
  const [leaf, authority] = pair.certificate
    .split(/(?<=-----END CERTIFICATE-----)\n/)
    .map((pem) => pem && new X509Certificate(pem))
  if (!leaf || !authority) throw new Error('no chain')
  expect(leaf.verify(authority.publicKey)).toBe(true)
  expect(leaf.ca).toBe(false)
  expect([leaf.checkHost('box.local'), leaf.checkIP('192.168.1.5'), leaf.checkIP('::1')]).not.toContain(undefined)
  expect(authority.ca).toBe(true)
  expect(statSync(join(box.folder, 'root.key')).mode & 0o777).toBe(0o600)
  expect(await (await box.source()).first()).toEqual(pair)
})

test('a certificate is replaced with a third of its life left, the root is not', async () => {
  const box = openBox()
  const source = await box.source()
  const pair = await source.first()
  box.pass(263 * dayMs)
  expect(await source.next(pair)).toBeUndefined()
  box.pass(2 * dayMs)
  const next = await source.next(pair)
  expect(next?.facts.issuer).toBe(pair.facts.issuer)
  expect(next?.facts.validToMs).toBeGreaterThan(pair.facts.validToMs)
})

test('in the last months of the root no certificate is made in vain', async () => {
  const box = openBox()
  const source = await box.source()
  const first = await source.first()
  box.pass(3600 * dayMs)
  const last = await source.next(first)
  expect(last && (await source.next(last))).toBeUndefined()
  expect((await (await box.source()).first()).certificate).toBe(last?.certificate ?? '')
})

test('a certificate that was made while the clock was ahead is replaced', async () => {
  const box = openBox()
  const source = await box.source()
  await source.first()
  box.pass(300 * dayMs)
  const ahead = await source.first()
  box.pass(-300 * dayMs)
  expect((await source.next(ahead))?.facts.validFromMs).toBe(box.options.clock() - dayMs)
})

test('a new name of the machine brings a new certificate, and an address that comes and goes does not', async () => {
  const box = openBox()
  const source = await box.source()
  const pair = await source.first()
  box.names.welcome = ['2001:db8::2']
  expect(await source.next(pair)).toBeUndefined()
  box.names.required = [...box.names.required, 'ai.example.com']
  expect((await source.next(pair))?.facts.names).toContain('ai.example.com')
})

test('a root whose key is gone is not replaced silently, because every client would have to trust the new one', async () => {
  const box = openBox()
  await (await box.source()).first()
  rmSync(join(box.folder, 'root.key'))
  const refused: unknown = await box.source().catch((error: unknown) => error)
  expect(refused).toMatchObject({ message: expect.stringContaining('restore it from a backup, or delete') })
})
