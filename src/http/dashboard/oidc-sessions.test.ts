/** Sessions that a sign-in by a provider begins, and their end here and there. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { DashboardClient } from '../../testing/dashboard-client.ts'
import { newPerson, serve, sessionOf, signIn } from '../../testing/provider-sign-ins.ts'
import { type ScriptedProvider, startScriptedProvider } from '../../testing/scripted-provider.ts'
import { TestBrowser } from '../../testing/test-browser.ts'
import type { TestServer } from '../../testing/test-server.ts'

let provider: ScriptedProvider

beforeAll(async () => {
  provider = await startScriptedProvider()
})
afterAll(() => provider[Symbol.dispose]())
beforeEach(() => {
  provider.answers.clear()
  provider.claims = newPerson()
})

test('a session lasts as long as the provider’s setting says', async () => {
  const clock = { nowMs: Date.now() }
  await using server = serve(provider, { sessionHours: 2 }, { clock: () => clock.nowMs })
  const browser = new TestBrowser()
  await signIn(provider, server, browser)
  clock.nowMs += 2 * 3_600_000 - 1
  expect(sessionOf(browser, server)).toBeDefined()
  clock.nowMs += 1
  expect(sessionOf(browser, server)).toBeUndefined()
})

test('a silent sign-in that the provider cannot give leads to the sign-in page, and back from there', async () => {
  await using server = serve(provider)
  const browser = new TestBrowser()
  const start = await browser.open(`${server.url}/oidc/start/company?to=/dashboard/keys&silent=1`)
  const location = start.headers.get('location') ?? ''
  expect(new URL(location).searchParams.get('prompt')).toBe('none')
  const answer = await browser.open(provider.returnFrom(location, { error: 'login_required' }))
  expect(answer.headers.get('location')).toBe('/dashboard/sign-in?next=%2Fdashboard%2Fkeys')
})

describe('signing out', () => {
  test('ends our session and leads to the end of the provider’s, without any token of it', async () => {
    await using server = serve(provider)
    const browser = new TestBrowser()
    await signIn(provider, server, browser)
    const client = new DashboardClient(server, `inferd_session=${browser.cookies.get('inferd_session')}`)
    const { json } = await client.send('sign-out', { body: {} })
    const url = new URL(json.continue_at)
    expect(url.origin + url.pathname).toBe(`${provider.issuer}/end`)
    expect(Object.fromEntries(url.searchParams)).toEqual({
      client_id: 'inferd',
      post_logout_redirect_uri: `${server.url}/dashboard/sign-in`,
    })
    expect(sessionOf(browser, server)).toBeUndefined()
  })

  test('ends our session while the provider is down', async () => {
    const clock = { ms: 0 }
    await using server = serve(provider, {}, { monotonicMs: () => clock.ms })
    const browser = new TestBrowser()
    await signIn(provider, server, browser)
    clock.ms += 600_000
    provider.answers.set('/.well-known/openid-configuration', () => new Response(null, { status: 500 }))
    const client = new DashboardClient(server, `inferd_session=${browser.cookies.get('inferd_session')}`)
    expect((await client.send('sign-out', { body: {} })).json).toEqual({ signed_in: false, continue_at: null })
    expect(sessionOf(browser, server)).toBeUndefined()
  })
})

describe('a logout token', () => {
  const events = { 'http://schemas.openid.net/event/backchannel-logout': {} }
  let count = 0
  const claims = (changed: object = {}) => ({ events, jti: `token-${++count}`, sid: provider.claims.sid, ...changed })

  async function send(server: TestServer, token: string): Promise<string> {
    const body = new URLSearchParams({ logout_token: token })
    const response = await fetch(`${server.url}/oidc/logout/company`, { method: 'POST', body })
    const { error } = Object(await response.json())
    return error === undefined ? String(response.status) : `${response.status} ${error.code}`
  }

  test('ends the session that it names, or all of a person', async () => {
    await using server = serve(provider)
    const [first, second] = [new TestBrowser(), new TestBrowser()]
    await signIn(provider, server, first)
    const token = await provider.sign(claims())
    provider.claims = { ...provider.claims, sid: 'another session' }
    await signIn(provider, server, second)
    expect(await send(server, token)).toBe('200')
    expect([sessionOf(first, server), sessionOf(second, server)?.provider]).toEqual([undefined, 'company'])
    expect(await send(server, await provider.sign(claims({ sid: undefined, sub: provider.claims.sub })))).toBe('200')
    expect(sessionOf(second, server)).toBeUndefined()
  })

  test('is refused unless it is the provider’s, new, for us, and one of sign-outs', async () => {
    await using server = serve(provider)
    const browser = new TestBrowser()
    await signIn(provider, server, browser)
    const seconds = Math.floor(Date.now() / 1000)
    const good = await provider.sign(claims())
    const [header, payload] = good.split('.')
    const tokens = [
      ['no token', 'x'],
      ['an id token', await provider.sign({ ...provider.claims, nonce: 'x' })],
      ['with a nonce', await provider.sign(claims({ nonce: 'x' }))],
      ['without events', await provider.sign(claims({ events: undefined }))],
      ['with another event', await provider.sign(claims({ events: { other: {} } }))],
      ['without an id', await provider.sign(claims({ jti: undefined }))],
      ['of nobody', await provider.sign(claims({ sid: undefined }))],
      ['of another issuer', await provider.sign(claims({ iss: 'https://evil.example' }))],
      ['for another client', await provider.sign(claims({ aud: 'other' }))],
      ['too old', await provider.sign(claims({ iat: seconds - 200 }))],
      ['of the future', await provider.sign(claims({ iat: seconds + 200 }))],
      ['without a signature', await provider.sign(claims(), { alg: 'none' })],
      ['by another key', await provider.sign(claims(), { kid: 'key-0' })],
      ['with another’s signature', `${header}.${payload}.${'A'.repeat(342)}`],
      ['of 19,000 characters', 'x'.repeat(19_000)],
    ] as const
    for (const [name, token] of tokens)
      expect({ name, answer: await send(server, token) }).toEqual({ name, answer: '400 oidc_logout_refused' })
    expect(sessionOf(browser, server)).toBeDefined()
    expect(await send(server, good)).toBe('200')
    expect(await send(server, good)).toBe('400 oidc_logout_refused')
  })

  test('of strangers makes the provider tell nothing', async () => {
    await using server = serve(provider)
    provider.asked.length = 0
    await send(server, await provider.sign(claims({ iss: 'https://evil.example' })))
    expect(provider.asked).toEqual([])
  })
})

describe('local sign-in', () => {
  const password = 'countess-of-l'

  async function answers(localSignIn: 'all' | 'staff' | 'off', headers: Record<string, string> = {}) {
    await using server = serve(provider, {}, { rules: { localSignIn } })
    const { stores } = server
    const passwordHash = await Bun.password.hash(password, { algorithm: 'bcrypt', cost: 4 })
    const ids = ['member', 'auditor', 'operator'].map((role) => {
      const email = { address: `${role}@example.org`, key: `${role}@example.org`, domain: 'example.org' }
      const id = stores.accounts.create({ email, name: role }) ?? ''
      stores.accounts.setRole(id, role as 'member', 'hand')
      stores.accounts.setPasswordHash(id, passwordHash)
      return id
    })
    const browser = new DashboardClient(server)
    const byPassword = ['member', 'auditor', 'operator'].map(async (role) => {
      const body = { email: `${role}@example.org`, password }
      return (await browser.send('sign-in', { body, headers })).status
    })
    const statuses = await Promise.all(byPassword)
    const token = stores.mailTokens.mint(ids[0] ?? '', 'sign-in')
    return [...statuses, (await browser.send('session', { body: { token }, headers })).status]
  }
  const forwarded = { 'x-forwarded-for': '192.0.2.1' }

  test.each<['all' | 'staff' | 'off', Record<string, string>, number[]]>([
    ['all', forwarded, [200, 200, 200, 200]],
    ['staff', forwarded, [403, 200, 200, 403]],
    ['off', forwarded, [403, 403, 403, 403]],
    ['off', {}, [403, 403, 200, 403]],
  ])('%s with %p: member, auditor, operator, mailed link', async (localSignIn, headers, statuses) => {
    expect(await answers(localSignIn, headers)).toEqual(statuses)
  })
})

test('150 strange answers of a provider never become an error of this server', async () => {
  await using server = serve(provider)
  const browser = new TestBrowser()
  const statuses = new Map<number, number>()
  const random = (most: number) => Math.floor(Math.random() * most)
  const texts = [
    '',
    '{',
    '[]',
    'null',
    '"x"',
    '{}',
    '{"error":1}',
    '{"error":"x"}',
    '\0\u00ff',
    '<html>',
    'x'.repeat(5_000),
  ]
  const values = [
    null,
    0,
    -1,
    '',
    'x',
    [],
    {},
    true,
    Number.MAX_SAFE_INTEGER,
    ['x'],
    { a: 1 },
    '../..',
    'http://127.0.0.1:1',
  ]
  const anyValue = () => values[random(values.length)]
  const paths = ['/token', '/jwks', '/userinfo']
  const fields = ['access_token', 'token_type', 'id_token', 'expires_in', 'keys', 'sub', 'email', 'scope']
  const strange = async () => {
    const headers = { 'content-type': ['application/json', 'text/html', 'application/jwt', ''][random(4)] ?? '' }
    const status = [200, 200, 200, 201, 204, 302, 400, 401, 404, 500][random(10)] ?? 200
    const claims = Object.fromEntries(
      ['sub', 'aud', 'exp', 'iat', 'email', 'nonce', 'sid', 'name'].slice(random(8)).map((name) => [name, anyValue()]),
    )
    const token = async () => ({
      access_token: 'a',
      token_type: 'Bearer',
      id_token: await provider.sign({ ...provider.claims, ...claims }),
    })
    const object = Object.fromEntries(fields.slice(random(8)).map((name) => [name, anyValue()]))
    const bodies = [
      async () => texts[random(texts.length)],
      async () => JSON.stringify(object),
      async () => JSON.stringify({ ...(await token()), ...(random(2) && object) }),
    ]
    const body = await bodies[random(3)]?.()
    return new Response([204, 302].includes(status) ? null : (body ?? ''), { status, headers })
  }
  for (let count = 0; count < 150; count++) {
    const path = paths[random(3)] ?? ''
    provider.answers.clear()
    provider.answers.set(path, strange)
    const location = (await browser.open(`${server.url}/oidc/start/company`)).headers.get('location') ?? ''
    const { status } = await browser.open(provider.returnFrom(location))
    statuses.set(status, (statuses.get(status) ?? 0) + 1)
  }
  const wrong = [...statuses.keys()].filter((status) => !(status < 500 || status === 503))
  expect(wrong).toEqual([])
})
