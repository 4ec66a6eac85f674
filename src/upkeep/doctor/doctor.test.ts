import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createServer } from 'node:tls'
import { nothingConsumed } from '../../core/usage.ts'
import { endedRecord } from '../../testing/ended-record.ts'
import { openOperatorBox } from '../../testing/operator-box.ts'
import { certificate, privateKey } from '../../testing/own-certificate.ts'
import { startSmtpServer } from '../../testing/smtp-server.ts'
import { backupFinding } from './backup-check.ts'
import { runChecks } from './check.ts'
import { withoutPrivate } from './diagnosis-text.ts'
import { clockFinding, diskFindings, driverOf, folderRooms, memoryFindings, runtimeFinding } from './machine-checks.ts'
import { certificateFinding, readCertificate } from './network-checks.ts'
import { certificateFindings } from './own-certificate-check.ts'
import { estimateFindings } from './usage-check.ts'

const now = Date.UTC(2026, 10, 22, 18)
const day = 24 * 3_600_000
let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'inferd-doctor-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

test('the doctor of a sound server finds nothing bad, and says what there is', async () => {
  await using box = openOperatorBox()
  box.services.stores.accounts.ensureOperator()
  const { checks, folders, versions } = await box.perform('doctor', {})
  expect(checks.filter(({ verdict }) => verdict === 'bad' || verdict === 'unknown')).toEqual([])
  const names = [...new Set(checks.map(({ name }) => name))]
  expect(names).toEqual(['database', 'disk', 'memory', 'runtime', 'clock', 'mail', 'web search', 'backup', 'ffmpeg'])
  expect(checks).toContainEqual(
    expect.objectContaining({ name: 'backup', verdict: 'warn', text: 'there is no backup' }),
  )
  expect(folders.map(({ name }) => name)).toEqual(['data', 'models', 'uploads', 'backups'])
  expect(folders[0]).toMatchObject({ path: box.dataDir, freeBytes: expect.any(Number) })
  expect(versions).toMatchObject({ 'llama.cpp': expect.stringMatching(/^[bv]?\d/), bun: Bun.version })
  await box.perform('backup', {})
  const again = await box.perform('doctor', {})
  expect(again.checks.find(({ name }) => name === 'backup')).toMatchObject({ verdict: 'ok' })
})

test('that programs of the machine need no key is a warning', async () => {
  await using box = openOperatorBox({}, { 'ollama-keyless': 'true' })
  const { checks } = await box.perform('doctor', {})
  expect(checks.find(({ name }) => name === 'keyless')).toMatchObject({ verdict: 'warn' })
})

test.each([
  ['is well', {}, 'ok', 'is good for 60 days'],
  ['cannot be renewed yet', { problem: 'no file' }, 'warn', 'is good for 60 days, and no newer one is in use: no file'],
  ['ends soon', { validToMs: now + 3 * day }, 'warn', 'is good for 3 days'],
  ['ends soon and cannot be renewed', { validToMs: now + 3 * day, problem: 'no file' }, 'bad', 'no file'],
  ['has ended', { validToMs: now - day }, 'bad', 'has ended'],
  ['only stands in', { issuer: 'CN=inferd\\, not yet certified', problem: 'silence' }, 'bad', 'no client trusts'],
])('the doctor says that the certificate in use %s', (_, change, verdict, text) => {
  const whole = { ...{ names: ['box'], issuer: 'CN=ca', fingerprint: '', problem: undefined } }
  const used = { ...whole, validFromMs: now - 30 * day, validToMs: now + 60 * day, ...change }
  expect(certificateFindings(used, now)).toMatchObject([{ verdict, text: expect.stringContaining(text) }])
})

test('models of which much is estimated are named, with the figures', () => {
  const row = (id: string, requests: number, estimatedRequests: number) => ({
    ...{ ...nothingConsumed, requests, estimatedRequests, costNanoUsd: 0, chargedNanoUsd: 0, estimatedCostNanoUsd: 0 },
    groups: [{ by: 'model' as const, id, label: null }],
  })
  const rows = [row('a/counted', 100, 10), row('a/guessed', 100, 11), row('a/few', 9, 9), row('a/none', 20, 0)]
  const findings = estimateFindings({ rows, total: rows[0] ?? row('', 0, 0) })
  expect(findings).toEqual([
    {
      verdict: 'warn',
      text: "what 11 of the last day's 100 requests to a/guessed used was estimated: no engine counted it",
      advice: expect.stringContaining('Estimated usage'),
    },
  ])
})

test('a day in which no engine counted is found by the doctor', async () => {
  await using box = openOperatorBox()
  const { stores } = box.services
  const { id: accountId } = stores.accounts.ensureOperator()
  const { id: keyId } = stores.keys.create({ accountId, name: 'test' })
  for (let request = 0; request < 12; request++) {
    stores.usage.insert({
      ...endedRecord,
      ...{ requestId: `req_${request}`, accountId, keyId, endpoint: 'chat/completions', model: 'a/guessed' },
      ...{ used: nothingConsumed, pricing: { unit: '1M_tokens' }, costNanoUsd: 0, chargedNanoUsd: 0 },
      ...{ isMetered: false, finish: 'stop', isEstimated: request < 6 },
    })
  }
  const { checks } = await box.perform('doctor', {})
  expect(checks.filter(({ name }) => name === 'usage')).toEqual([
    expect.objectContaining({ verdict: 'warn', text: expect.stringContaining("6 of the last day's 12 requests") }),
  ])
})

test('a mail server is asked where one is set, and nothing is sent', async () => {
  await using smtp = await startSmtpServer({ extensions: ['AUTH PLAIN'] })
  const settings = { 'smtp-host': '127.0.0.1', 'smtp-port': String(smtp.port), 'smtp-security': 'none' }
  const flags = { ...settings, 'mail-from': 'box@example.org', 'smtp-user': 'ada', 'smtp-password': 'secret' }
  await using box = openOperatorBox({}, flags)
  const mail = async () => (await box.perform('doctor', {})).checks.find(({ name }) => name === 'mail')
  expect(await mail()).toMatchObject({ verdict: 'ok', text: 'the mail server answers' })
  expect(smtp.received.some((line) => line.startsWith('MAIL'))).toBe(false)
  await smtp[Symbol.asyncDispose]()
  expect(await mail()).toMatchObject({ verdict: 'bad', text: expect.stringContaining('does not take mail') })
})

test('the certificate of the public address is read: untrusted, about to expire, expired', async () => {
  const server = createServer({ key: privateKey, cert: certificate }, (socket) => socket.end())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const url = new URL(`https://localhost:${typeof address === 'object' ? address?.port : 0}`)
  const found = await readCertificate(url)
  expect(found.problem).toBeString()
  const trusted = await readCertificate(url, certificate)
  expect(trusted).toEqual({ validToMs: expect.any(Number), problem: undefined })
  expect(trusted.validToMs).toBeGreaterThan(Date.UTC(2100, 0))
  server.close()
  expect(certificateFinding({ validToMs: now + 90 * day, problem: found.problem }, now)).toMatchObject({
    verdict: 'bad',
  })
  expect(certificateFinding({ validToMs: now + 90 * day, problem: undefined }, now)).toMatchObject({ verdict: 'ok' })
  expect(certificateFinding({ validToMs: now + 5 * day, problem: undefined }, now)).toMatchObject({
    verdict: 'warn',
    text: expect.stringContaining('5 days'),
  })
  expect(certificateFinding({ validToMs: now - day, problem: undefined }, now)).toMatchObject({ verdict: 'bad' })
  expect(await readCertificate(url).catch((error: Error) => error.message)).toBeString()
})

test('what hangs or fails is unknown, and holds up nothing else', async () => {
  const checks = await runChecks(
    [
      { name: 'hangs', examine: () => new Promise(() => undefined) },
      { name: 'fails', examine: () => Promise.reject(new Error('no such device')) },
      { name: 'works', examine: async () => [{ verdict: 'ok', text: 'fine' }] },
    ],
    20,
  )
  expect(checks).toEqual([
    { name: 'hangs', verdict: 'unknown', text: 'there was no answer within 0.02 s' },
    { name: 'fails', verdict: 'unknown', text: 'no such device' },
    { name: 'works', verdict: 'ok', text: 'fine' },
  ])
})

test('folders of one disk are one line, also those that are not there yet', async () => {
  const found = diskFindings(await folderRooms({ data: folder, backups: join(folder, 'not', 'yet'), kernel: '/proc' }))
  expect(found.map(({ text }) => text.split(':')[0])).toEqual(['data, backups', 'kernel'])
})

test('the driver is that of the devices that tell it', () => {
  const gpu = { totalBytes: 24e9, freeBytes: 20e9, hardware: 'NVIDIA L4, driver 570.86.15' }
  expect(driverOf({ host: gpu, gpu0: 'unknown', gpu1: { ...gpu, driver: '570.86.15' } })).toBe('570.86.15')
  expect(driverOf({ gpu0: gpu })).toBeUndefined()
})

test('a lost device, missing files and a clock that went back are told', () => {
  const host = { totalBytes: 64e9, freeBytes: 1e9 }
  expect(memoryFindings({ host, gpu0: 'unknown' })).toMatchObject([{ verdict: 'warn' }, { verdict: 'bad' }])
  const paths = {
    nodeLlamaCpp: folder,
    llamaCore: folder,
    addons: folder,
    onnxRuntime: folder,
    tokenizers: folder,
    sherpaOnnx: folder,
    starterChat: folder,
  }
  expect(runtimeFinding({ ...paths, starterVad: join(folder, 'gone') })).toMatchObject({ verdict: 'bad' })
  expect(clockFinding(now, now + day)).toMatchObject({ verdict: 'warn', advice: expect.stringContaining('NTP') })
  expect(clockFinding(0, undefined)).toMatchObject({ verdict: 'bad' })
  expect(clockFinding(now, now + 1_000)).toMatchObject({ verdict: 'ok' })
})

test('an old backup is told, later where they are rare', () => {
  const latest = { path: '', bytes: 5, createdMs: now - 10 * day }
  const finding = (everyMs?: number) =>
    backupFinding({ latest, failure: undefined, folderProblem: undefined, everyMs }, now).verdict
  expect([finding(), finding(day), finding(7 * day)]).toEqual(['warn', 'warn', 'ok'])
  expect(
    backupFinding({ latest, failure: { atMs: 1, reason: 'full' }, folderProblem: undefined, everyMs: undefined }, now)
      .verdict,
  ).toBe('bad')
})

test('a diagnosis names no key, address or person', async () => {
  const secrets = [
    ['refused sk-inferd-a1B2c3D4e5F6', 'refused <key>'],
    ['mail to ada@example.org failed', 'mail to <mail address> failed'],
    ['connect ECONNREFUSED 10.0.0.7:587', 'connect ECONNREFUSED <address>'],
    ['no route to fe80::1:2:3:4', 'no route to <address>'],
    ['from https://box.example/x?token=1 came', 'from <address> came'],
    ['acc_Ab12 used /home/ada/.cache', '<account> used /home/<user>/.cache'],
    ['connect to 10.0.0.7.', 'connect to <address>.'],
    ['connect ECONNREFUSED 2001:db8:1:2:3:4:5:6:587', 'connect ECONNREFUSED <address>'],
    ['connect ECONNREFUSED ::ffff:10.0.0.7:25', 'connect ECONNREFUSED <address>'],
    ['getaddrinfo ENOTFOUND mail.example.org, at 22:13:24', 'getaddrinfo ENOTFOUND <host>, at 22:13:24'],
    ['550 mx1.mail.example.org', '550 <host>'],
    ['/data/inferd/models is full, version 1.2.3', '<data>/models is full, version 1.2.3'],
  ]
  const machine = { dataDir: '/data/inferd', hostNames: ['mail.example.org'] }
  for (const [line = '', expected] of secrets) expect(withoutPrivate(line, machine)).toBe(expected ?? '')
  await using box = openOperatorBox()
  const { text } = await box.perform('diagnosis', {})
  expect(text).toContain('inferd diagnosis, ')
  expect(text).toContain('no engine was started')
  expect(text).not.toContain(box.dataDir)
})
