import { expect, test } from 'bun:test'
import { DashboardClient } from '../../testing/dashboard-client.ts'
import { startTestServer } from '../../testing/test-server.ts'
import { isSecure } from './status.ts'

test('guests learn three things of the server and nothing of its models, versions and limits', async () => {
  await using server = startTestServer({ config: { topUpText: 'Ask Ada' }, rules: { isSignupOpen: false } })
  for (const browser of [
    new DashboardClient(server),
    new DashboardClient(server, `inferd_session=${'x'.repeat(43)}`),
  ]) {
    const { status, json } = await browser.send('status')
    expect({ status, json }).toEqual({
      status: 200,
      json: {
        ...{ signup_open: false, sends_mail: false, is_secure: true, commands: null },
        ...{ providers: [], local_sign_in: true },
      },
    })
  }
})

test('accounts learn what their pages need', async () => {
  await using server = startTestServer({
    config: { topUpText: 'Ask Ada in room 3' },
    images: { bytes: 1234, count: 7 },
    spool: { fileLimitBytes: 5678 },
    models: { 'test/absent': { status: { kind: 'available' } }, 'test/words': { manifest: { type: 'embedding' } } },
  })
  const { accountId } = server.payer(0)
  const browser = DashboardClient.signedIn(server, accountId)
  expect((await browser.send('status')).json).toEqual({
    signup_open: true,
    ...{ providers: [], local_sign_in: true, provider: null },
    sends_mail: false,
    is_secure: true,
    commands: null,
    version: 'test',
    role: 'member',
    base_url: server.url,
    models_installed: 2,
    models_loaded: 0,
    example_model: 'test/fake',
    starter_credit_usd: '1',
    top_up_text: 'Ask Ada in room 3',
    limits: { image_bytes: 1234, images: 7, audio_bytes: 5678, speech_chars: 20_000 },
  })
  server.stores.accounts.setDisabled(accountId, true)
  expect(Object.keys((await browser.send('status')).json)).toHaveLength(6)
})

test.each([
  ['http://localhost:11500', 'http://localhost:11500', true],
  ['http://127.0.0.1:11500', 'https://box.example', true],
  ['http://[::1]:11500', 'http://box.example', true],
  ['http://box.example', 'https://box.example', true],
  ['http://box.example', 'http://box.example', false],
  ['http://box.lan:11500', 'https://box.example', false],
  ['http://192.168.1.7:11500', 'http://192.168.1.7:11500', false],
  ['http://127.0.0.1.evil.example', 'http://box', false],
])('a page at %s of %s: secure %p', (url, baseUrl, expected) => {
  expect(isSecure(new URL(url), baseUrl)).toBe(expected)
})
