import { afterAll, describe, expect, test } from 'bun:test'
import { startTestServer } from '../../testing/test-server.ts'

const server = startTestServer({ config: { trustedProxies: ['127.0.0.1'] } })
afterAll(() => server[Symbol.asyncDispose]())

let clients = 0

/** Signs up from a new client address each time, unless one is given. */
function signUp(body: unknown, { path = '/v1/signup', client = `198.51.100.${++clients}` } = {}) {
  return fetch(server.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-forwarded-for': client },
    body: JSON.stringify(body),
  })
}

/** Returns the secret of a new confirmation link for an address. */
function linkFor(email: string): string {
  const account = server.stores.accounts.findByEmail(email)
  return server.stores.mailTokens.mint(account?.id ?? '', 'confirm')
}

test('pages of other sites make no account, and read no answer', async () => {
  for (const path of ['/v1/signup', '/openai/v1/signup']) {
    const foreign = await fetch(server.url + path, {
      method: 'POST',
      headers: { origin: 'https://evil.example' },
      body: JSON.stringify({ email: 'page@example.org' }),
    })
    expect(foreign.status).toBe(403)
    expect(foreign.headers.has('access-control-allow-origin')).toBe(false)
    const preflight = await fetch(server.url + path, { method: 'OPTIONS', headers: { origin: 'https://evil.example' } })
    expect(preflight.headers.has('access-control-allow-origin')).toBe(false)
    expect(preflight.headers.has('access-control-allow-headers')).toBe(false)
  }
  expect(server.stores.accounts.findByEmail('page@example.org')).toBeUndefined()
  const own = await fetch(`${server.url}/v1/signup`, {
    method: 'POST',
    headers: { origin: server.url, 'x-forwarded-for': '198.51.100.200' },
    body: JSON.stringify({ email: 'own@example.org' }),
  })
  expect(own.status).toBe(201)
})

test('an account is made without a key, and its own key works at once', async () => {
  const response = await signUp({
    email: 'Ada@example.org',
    name: 'Ada',
    password: 'countess-of-l',
    key_name: 'laptop',
    x: 1,
  })
  expect(response.status).toBe(201)
  expect(response.headers.get('cache-control')).toBe('no-store')
  const result = Object(await response.json())
  expect(result).toEqual({
    object: 'signup',
    email: 'Ada@example.org',
    api_key: expect.stringMatching(/^sk-inferd-[0-9A-Za-z]{40}$/),
    base_url: `${server.url}/v1`,
    balance: 0,
    starter_credit: { amount: 1, currency: 'USD', status: 'pending_confirmation' },
    top_up_url: `${server.url}/dashboard/billing`,
    dashboard: { url: `${server.url}/dashboard`, sign_in: 'password' },
    next_steps: expect.any(Array),
    docs: `${server.url}/docs/models`,
  })
  expect(result.next_steps.join('\n')).toContain('"model":"test/fake"')
  const chat = await fetch(`${server.baseUrl}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${result.api_key}` },
    body: JSON.stringify({ model: 'fake', messages: [{ role: 'user', content: 'hi' }] }),
  })
  expect(chat.status).toBe(200)
  expect(
    server.stores.keys.list({ accountId: server.stores.accounts.findByEmail('ada@example.org')?.id }),
  ).toMatchObject([{ name: 'laptop' }])
})

test('without a password one signs in by mail, under either prefix', async () => {
  const response = await signUp({ email: 'bob@example.org', name: null }, { path: '/openai/v1/signup' })
  expect(await response.json()).toMatchObject({ dashboard: { sign_in: 'email_link' } })
})

describe('refusals', () => {
  test.each([
    [{}, 400, 'missing_required_parameter', 'email'],
    [{ email: 7 }, 400, 'invalid_value', 'email'],
    [{ email: 'nobody' }, 400, 'invalid_value', 'email'],
    [{ email: 'a@mailinator.com' }, 400, 'disposable_email', 'email'],
    [{ email: 'n1@example.org', name: 'x'.repeat(101) }, 400, 'invalid_value', 'name'],
    [{ email: 'n1@example.org', password: 'short' }, 400, 'weak_password', 'password'],
    [{ email: 'n1@example.org', key_name: 7 }, 400, 'invalid_value', 'key_name'],
    ['text', 400, 'invalid_value', null],
  ])('%p', async (body, status, code, param) => {
    const response = await signUp(body)
    expect(response.status).toBe(status)
    expect(await response.json()).toMatchObject({ error: { code, param } })
  })

  test('an address that has an account', async () => {
    await signUp({ email: 'carl@example.org' })
    const response = await signUp({ email: 'CARL+x@example.org' })
    expect([response.status, Object(await response.json()).error.code]).toEqual([400, 'email_taken'])
  })

  test('the sixth of a client and day', async () => {
    for (let index = 0; index < 5; index++) {
      expect((await signUp({ email: `five${index}@example.org` }, { client: '203.0.113.1' })).status).toBe(201)
    }
    const sixth = await signUp({ email: 'six@example.org' }, { client: '203.0.113.1' })
    expect(sixth.status).toBe(429)
    expect(Number(sixth.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(await sixth.json()).toMatchObject({ error: { code: 'signup_limit', type: 'rate_limit_error' } })
  })

  test('where signup is closed', async () => {
    await using closed = startTestServer({ rules: { isSignupOpen: false } })
    const response = await fetch(`${closed.baseUrl}/signup`, { method: 'POST', body: '{"email":"a@example.org"}' })
    expect(response.status).toBe(403)
    expect(await response.json()).toMatchObject({ error: { code: 'signup_closed', type: 'permission_error' } })
  })
})

describe('the confirmation link', () => {
  const open = async (token: string, method = 'GET') => {
    const response = await fetch(`${server.url}/confirm?token=${token}`, { method })
    return { status: response.status, text: await response.text(), headers: response.headers }
  }

  test('asks on a page, and adds the starter credit once when its button is pressed', async () => {
    await signUp({ email: 'dora@example.org' })
    const token = linkFor('dora@example.org')
    const balance = () => server.stores.accounts.findByEmail('dora@example.org')?.balanceNanoUsd
    for (const method of ['HEAD', 'GET', 'GET']) {
      const { status, headers } = await open(token, method)
      expect([status, headers.get('cache-control')]).toEqual([200, 'no-store'])
      expect(headers.get('content-security-policy')).toMatch(/form-action 'self';.*frame-ancestors 'none'/)
    }
    const { text } = await open(token)
    expect(text.match(/<button[^>]*>[^<]*/g)).toEqual([expect.stringContaining('Confirm the address and get $1')])
    expect(balance()).toBe(0)
    const confirmed = await Promise.all(Array.from({ length: 20 }, () => open(token, 'POST')))
    expect(confirmed.filter(({ text }) => text.includes('$1 was added'))).toHaveLength(1)
    expect(confirmed.filter(({ text }) => text.includes('used before'))).toHaveLength(19)
    expect((await open(token)).text).toContain('used before')
    expect(balance()).toBe(1_000_000_000)
  })

  test('confirms for a page of this server alone', async () => {
    await signUp({ email: 'elsa@example.org' })
    const url = `${server.url}/confirm?token=${linkFor('elsa@example.org')}`
    const from = (headers: Record<string, string>) => fetch(url, { method: 'POST', headers })
    expect((await from({ origin: 'https://evil.example' })).status).toBe(403)
    expect((await from({ 'sec-fetch-site': 'cross-site' })).status).toBe(403)
    expect((await from({ origin: server.url, 'sec-fetch-site': 'same-origin' })).status).toBe(200)
  })

  test('that is not one is told so', async () => {
    expect(await open('nonsense')).toMatchObject({ status: 404, text: expect.stringContaining('not complete') })
    expect((await open('')).status).toBe(404)
  })
})
