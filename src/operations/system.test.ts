import { expect, test } from 'bun:test'
import { type OperatorBox, openOperatorBox } from '../testing/operator-box.ts'
import { problemOf } from '../testing/refusal.ts'
import { startSmtpServer } from '../testing/smtp-server.ts'
import { openTestAccounts } from '../testing/test-accounts.ts'
import { perform } from './operations.ts'

const mailFlags = (port: number) => ({
  ...{ 'smtp-host': '127.0.0.1', 'smtp-port': String(port), 'smtp-security': 'none' },
  'mail-from': 'Box <box@example.org>',
})

const actions = ({ services }: OperatorBox) => services.stores.audit.list().map(({ action }) => action)

test('a test mail goes to its sender, or to the address that is named', async () => {
  await using smtp = await startSmtpServer()
  await using box = openOperatorBox({}, mailFlags(smtp.port))
  expect(await box.perform('mail-status', {})).toEqual({
    server: { kind: 'unknown' },
    sender: 'Box <box@example.org>',
    waiting: 0,
  })
  expect(await box.perform('mail-test', {})).toEqual({ address: 'Box <box@example.org>' })
  expect(await box.perform('mail-test', { to: 'ada@example.org' })).toEqual({ address: 'ada@example.org' })
  expect(smtp.received.filter((line) => line.startsWith('RCPT'))).toEqual([
    'RCPT TO:<box@example.org>',
    'RCPT TO:<ada@example.org>',
  ])
  expect(await box.perform('mail-status', {})).toMatchObject({ server: { kind: 'working' } })
  expect(actions(box)).toEqual(['mail.test', 'mail.test'])
  expect(await problemOf(box.perform('mail-test', { to: 'nobody' }))).toMatchObject({
    code: 'invalid_input',
    field: 'to',
  })
})

test('the mail server’s own words are told when it refuses, and nothing is in the audit log', async () => {
  await using smtp = await startSmtpServer({ answers: { RCPT: '550 we do not relay' } })
  await using box = openOperatorBox({}, mailFlags(smtp.port))
  const failure = expect.stringContaining('550 we do not relay')
  expect(await problemOf(box.perform('mail-test', {}))).toMatchObject({ code: 'mail_failed', reason: failure })
  expect(await box.perform('mail-status', {})).toMatchObject({ server: { kind: 'failing', failure } })
  expect(actions(box)).toEqual([])
})

test('without a mail server a test says so', async () => {
  await using box = openOperatorBox()
  expect(await problemOf(box.perform('mail-test', {}))).toEqual({ code: 'no_mail_server' })
  expect(await box.perform('mail-status', {})).toMatchObject({ server: { kind: 'off' }, sender: undefined })
})

test('what the doctor found the last time is told without asking it again', async () => {
  await using box = openOperatorBox()
  expect(await box.perform('doctor-latest', {})).toEqual({ latest: undefined })
  const found = await box.perform('doctor', {})
  expect(await box.perform('doctor-latest', {})).toEqual({ latest: found })
})

test('settings and the log are told by the running server alone', async () => {
  await using box = openOperatorBox({ INFERD_SMTP_PASSWORD: 'hunter2hunter2', INFERD_SMTP_USER: 'ada' })
  const { settings, file } = await box.perform('settings-list', {})
  expect(file).toBeUndefined()
  expect(settings.find(({ name }) => name === 'smtp-password')).toMatchObject({ value: '(set)' })
  expect(JSON.stringify(settings)).not.toContain('hunter2')
  await box.perform('backup', {})
  const { level, lines } = await box.perform('logs-tail', {})
  expect([level, lines.map(({ text }) => text.split(' ')[0])]).toEqual(['info', ['backup']])
  using books = openTestAccounts()
  const caller = { kind: 'operator', actor: 'cli:ada', baseUrl: '' } as const
  for (const name of ['settings-list', 'logs-tail', 'backup-status', 'models-list'] as const)
    expect(await problemOf(perform(books.services, caller, { name, input: {} }))).toEqual({ code: 'no_server' })
})
