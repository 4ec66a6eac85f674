import { expect, test } from 'bun:test'
import { startSmtpServer } from '../testing/smtp-server.ts'
import { composeMail } from './compose-mail.ts'
import { type SmtpConfig, smtpSender } from './smtp.ts'

const { signal } = new AbortController()
const mail = composeMail('confirm', 'http://box/confirm?token=abc&x=1', 'http://box')

function sender(port: number, config: Partial<SmtpConfig> = {}) {
  return smtpSender({
    host: '127.0.0.1',
    port,
    security: 'none',
    user: undefined,
    password: undefined,
    from: 'inferd <box@example.org>',
    ...config,
  })
}

async function failure(work: Promise<unknown>): Promise<string> {
  const error = await work.catch((thrown: unknown) => thrown)
  return error instanceof Error ? error.message : 'sent'
}

test('a mail arrives with its link, as text and as HTML', async () => {
  await using server = await startSmtpServer()
  await sender(server.port)('ada@example.org', mail, signal)
  const [mailFrom, rcptTo, , text = ''] = server.received.slice(1)
  expect(mailFrom).toBe('MAIL FROM:<box@example.org>')
  expect(rcptTo).toBe('RCPT TO:<ada@example.org>')
  expect(text).toContain('Subject: Confirm your address')
  expect(text).toContain('From: inferd <box@example.org>')
  const unfolded = text.replaceAll('=\r\n', '').replaceAll('=3D', '=')
  expect(unfolded).toContain('http://box/confirm?token=abc&x=1')
  expect(unfolded).toContain('href="http://box/confirm?token=abc&amp;x=1"')
})

test('name and password are given where they are configured', async () => {
  await using server = await startSmtpServer({ extensions: ['AUTH PLAIN'] })
  await sender(server.port, { user: 'box', password: 'secret' })('ada@example.org', mail, signal)
  const expected = Buffer.from('\u0000box\u0000secret').toString('base64')
  expect(server.received).toContain(`AUTH PLAIN ${expected}`)
})

test('starttls goes no further in the clear', async () => {
  await using server = await startSmtpServer({ extensions: ['AUTH PLAIN'], answers: { STARTTLS: '502 no' } })
  const send = sender(server.port, { security: 'starttls', user: 'box', password: 'secret' })
  expect(await failure(send('ada@example.org', mail, signal))).not.toBe('sent')
  expect(server.received.filter((line) => /^(AUTH|MAIL)/.test(line))).toEqual([])
})

test.each([
  ['a greeting that says no', { greeting: '554 go away' }],
  ['a receiver that is refused', { RCPT: '550 unknown' }],
  ['a text that is refused', { text: '452 disk full' }],
  ['a connection that ends in the middle', { DATA: 'close' }],
])('%s is a failure', async (_, answers) => {
  await using server = await startSmtpServer({ answers })
  expect(await failure(sender(server.port)('ada@example.org', mail, signal))).not.toBe('sent')
})

test('a server that says nothing is given up when the signal says so', async () => {
  await using server = await startSmtpServer({ answers: { DATA: 'hang' } })
  const stopping = new AbortController()
  const sending = failure(sender(server.port)('ada@example.org', mail, stopping.signal))
  await server.heard('DATA')
  stopping.abort(new Error('the server stopped'))
  expect(await sending).toBe('the server stopped')
})
