/** No secret is in the data folder or the log after everything that handles secrets was done for real. */

import { expect, test } from 'bun:test'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { testRules } from '../testing/account-rules.ts'
import { startServedProcess } from '../testing/served-process.ts'
import { startSmtpServer } from '../testing/smtp-server.ts'
import { perform } from './perform.ts'

const password = 'countess-of-lovelace'
const smtpPassword = 'smtp-secret-word'

/** Returns the token of the link in a mail as sent over the wire. */
function tokenIn(mail: string): string {
  const text = mail.replaceAll('=\r\n', '').replaceAll('=3D', '=')
  return /token=(\w+)/.exec(text)?.[1] ?? ''
}

test('no secret is kept', async () => {
  await using smtp = await startSmtpServer({ extensions: ['AUTH PLAIN'] })
  const mailFlags = ['--smtp-host', '127.0.0.1', '--smtp-port', String(smtp.port), '--smtp-security', 'none']
  const from = ['--smtp-user', 'box', '--smtp-password', smtpPassword, '--mail-from', 'box@example.org']
  await using served = await startServedProcess(['--log-level', 'trace', ...mailFlags, ...from])
  const origin = new URL(served.baseUrl).origin
  const post = (path: string, body: object, headers: Record<string, string> = {}) =>
    fetch(origin + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin, ...headers },
      body: JSON.stringify(body),
    })

  // An account, its confirmation, a session by password and one by mail
  const mail = smtp.nextMail()
  const email = 'ada@example.org'
  const signup = Object(await (await post('/v1/signup', { email, password })).json())
  const confirmToken = tokenIn(await mail)
  expect((await fetch(`${origin}/confirm?token=${confirmToken}`, { method: 'POST' })).status).toBe(200)
  const signIn = await post('/dashboard/api/sign-in', { email, password })
  const secondMail = smtp.nextMail()
  await post('/dashboard/api/sign-in-link', { email })
  const signInToken = tokenIn(await secondMail)
  const byLink = await post('/dashboard/api/session', { token: signInToken })
  const sessions = [signIn, byLink].map((answer) => /=(\w+);/.exec(answer.headers.get('set-cookie') ?? '')?.[1] ?? '')

  // A key made at the dashboard, a voucher, and requests with keys where they do not belong
  const cookie = `inferd_session=${sessions[1]}` // the link has ended the other
  const performOnPage = (name: string, input: object) => post(`/dashboard/api/operations/${name}`, input, { cookie })
  const { result: made } = Object(await (await performOnPage('keys-create', { name: 'laptop' })).json())
  const target = { dataDir: served.dataDir, baseUrl: origin, actor: 'cli:test', rules: testRules, patienceMs: 5_000 }
  const vouchers = await perform(target, 'vouchers-create', { amount: '20', count: 1 })
  const code = vouchers.vouchers[0]?.code ?? ''
  const redeemed = await performOnPage('vouchers-redeem', { code })
  expect(redeemed.status).toBe(200)
  const chat = { model: signup.api_key, messages: [{ role: 'user', content: made.key }] }
  expect((await post('/v1/chat/completions', chat, { authorization: `Bearer ${made.key}` })).status).toBe(404)
  expect((await post(`/v1/${signup.api_key}?key=${made.key}`, {})).status).toBe(404)

  const log = await served.stop()
  expect(log).toContain('/v1/signup')
  const secrets = [served.key, signup.api_key, made.key, password, smtpPassword, confirmToken, signInToken, ...sessions]
  for (const secret of [...secrets, code, code.replaceAll('-', '')]) {
    expect(secret.length).toBeGreaterThan(7)
    expect(log).not.toContain(secret)
    for (const file of filesIn(served.dataDir))
      expect([file, readFileSync(file).includes(secret)]).toEqual([file, false])
  }
}, 60_000)

/** Returns the paths of the files in a folder, without its subfolders. */
function filesIn(folder: string): string[] {
  return readdirSync(folder)
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile())
}
