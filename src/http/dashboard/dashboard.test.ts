import { afterAll, describe, expect, setSystemTime, test } from 'bun:test'
import { type OperationInput, type OperationResult, perform } from '../../operations/operations.ts'
import { DashboardClient } from '../../testing/dashboard-client.ts'
import { openRaw } from '../../testing/raw-connection.ts'
import { startTestServer, type TestServer } from '../../testing/test-server.ts'

const clock = { nowMs: 1_800_000_000_000 }
const server = startTestServer({
  clock: () => clock.nowMs,
  monotonicMs: () => clock.nowMs,
  config: { trustedProxies: ['127.0.0.1'] },
  models: {
    'test/paid': { manifest: { pricing: { inputNanoUsd: 10_000_000, outputNanoUsd: 30_000_000, unit: '1M_tokens' } } },
  },
})
afterAll(() => server[Symbol.asyncDispose]())

let people = 0

async function signUp({ services }: TestServer, input: OperationInput<'accounts-sign-up'>) {
  const caller = { kind: 'anybody', network: `198.51.100.${people}` } as const
  const made = await perform(services, caller, { name: 'accounts-sign-up', input })
  return made as OperationResult<'accounts-sign-up'>
}

/** Makes an account with a password, and its owner's browser, not signed in. */
async function newAccount(password: string | null = 'countess-of-l') {
  const email = `person${++people}@example.org`
  const made = await signUp(server, { email, ...(password !== null && { password }) })
  return { ...made, email, password, browser: new DashboardClient(server) }
}

/** The same, signed in. */
async function signedIn() {
  const made = await newAccount()
  await made.browser.send('sign-in', { body: { email: made.email, password: made.password } })
  return made
}

describe('signing in', () => {
  test('with a password begins a session, signing out ends it', async () => {
    const { browser, email, password, accountId } = await newAccount()
    expect(await browser.perform('accounts-show-own')).toMatchObject({
      status: 401,
      json: { error: { code: 'not_signed_in' } },
    })
    const answer = await browser.send('sign-in', { body: { email: email.toUpperCase(), password } })
    expect(answer.status).toBe(200)
    const cookie = answer.headers.get('set-cookie')
    expect(cookie).toMatch(/^inferd_session=\w{43}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=2592000$/)
    const me = await browser.perform('accounts-show-own')
    expect(me.result).toMatchObject({
      account: { id: accountId, email, balanceUsd: '0' },
      hasPassword: true,
      isConfirmed: false,
    })
    expect(me.headers.get('cache-control')).toBe('no-store')
    expect(me.headers.has('access-control-allow-origin')).toBe(false)
    const out = await browser.send('sign-out', { body: {} })
    expect(out.headers.getSetCookie().every((expired) => expired.includes('Max-Age=0'))).toBe(true)
    expect((await browser.perform('accounts-show-own')).status).toBe(401)
  })

  test('over https the cookie stays there', async () => {
    await using secure = startTestServer({ config: { publicUrl: 'https://box.example' } })
    await signUp(secure, { email: 'a@example.org', password: 'countess-of-l' })
    const browser = new DashboardClient(secure)
    const body = { email: 'a@example.org', password: 'countess-of-l' }
    const answer = await browser.send('sign-in', { body, headers: { origin: 'https://box.example' } })
    expect(answer.headers.get('set-cookie')).toMatch(/^__Host-inferd_session=.*; Secure$/)
    expect((await browser.perform('accounts-show-own')).status).toBe(200)
  })

  test('with a wrong password, without one, and without an account has the same answer', async () => {
    const { browser, email } = await newAccount()
    const other = await newAccount(null)
    const answers = await Promise.all([
      browser.send('sign-in', { body: { email, password: 'countess-of-m' } }),
      browser.send('sign-in', { body: { email: other.email, password: 'countess-of-l' } }),
      browser.send('sign-in', { body: { email: 'nobody@example.org', password: 'countess-of-l' } }),
      browser.send('sign-in', { body: { email: 'no address', password: 'countess-of-l' } }),
    ])
    expect(answers.map(({ status }) => status)).toEqual([401, 401, 401, 401])
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
    expect(answers[0]?.json.error.code).toBe('invalid_credentials')
  })

  test('guessing ends after ten attempts, for that network and a quarter of an hour', async () => {
    const { browser, email, password } = await newAccount()
    const guess = (word: string) =>
      browser.send('sign-in', { body: { email, password: word }, headers: { 'x-forwarded-for': '203.0.113.1' } })
    const guesses = await Promise.all(Array.from({ length: 15 }, (_, index) => guess(`guess ${index}`)))
    expect(guesses.filter(({ status }) => status === 401)).toHaveLength(10)
    const refused = await guess(password ?? '')
    expect(refused).toMatchObject({ status: 429, json: { error: { code: 'too_many_attempts' } } })
    expect(Number(refused.headers.get('retry-after'))).toBe(900)
    // The owner can still sign in from elsewhere, and people at that network by mailed links.
    const headers = { 'x-forwarded-for': '203.0.113.2' }
    expect((await browser.send('sign-in', { body: { email, password }, headers })).status).toBe(200)
    const token = server.stores.mailTokens.mint((await newAccount(null)).accountId, 'sign-in')
    const near = { 'x-forwarded-for': '203.0.113.1' }
    expect((await browser.send('session', { body: { token }, headers: near })).status).toBe(200)
    clock.nowMs += 15 * 60_000
    expect((await guess(password ?? '')).status).toBe(200)
  })

  test('is refused no longer when the clock is set back', async () => {
    await using other = startTestServer()
    const guess = () =>
      new DashboardClient(other).send('sign-in', { body: { email: 'nobody@example.org', password: 'countess-of-m' } })
    for (let index = 0; index < 10; index++) expect((await guess()).status).toBe(401)
    try {
      setSystemTime(new Date(Date.now() - 60 * 60_000))
      expect(Number((await guess()).headers.get('retry-after'))).toBeWithin(1, 901)
    } finally {
      setSystemTime()
    }
  })

  test('by a mailed link works once, and shows that the address is theirs', async () => {
    const { browser, email, accountId } = await newAccount(null)
    const { stores } = server
    const answers = [
      await browser.send('sign-in-link', { body: { email } }),
      await browser.send('sign-in-link', { body: { email: 'nobody@example.org' } }),
    ]
    expect(answers.map(({ status }) => status)).toEqual([202, 202])
    expect(answers[0]?.text).toBe(answers[1]?.text ?? '')
    const mails = stores.outbox.list({ isWaiting: true, limit: 100 }).filter((mail) => mail.accountId === accountId)
    expect(mails.map(({ purpose }) => purpose).sort()).toEqual(['confirm', 'sign-in'])
    const token = stores.mailTokens.mint(accountId, 'sign-in')
    const uses = await Promise.all(
      [1, 2, 3].map(() => new DashboardClient(server).send('session', { body: { token } })),
    )
    expect(uses.map(({ status }) => status).sort()).toEqual([200, 401, 401])
    expect(stores.accounts.find(accountId)).toMatchObject({ confirmedMs: clock.nowMs, balanceNanoUsd: 1_000_000_000 })
    const confirm = stores.mailTokens.mint(accountId, 'confirm')
    expect((await browser.send('session', { body: { token: confirm } })).status).toBe(401)
  })

  test('an account is sent at most five links an hour', async () => {
    const { browser, email, accountId } = await newAccount(null)
    for (let index = 0; index < 8; index++) await browser.send('sign-in-link', { body: { email } })
    const count = server.stores.outbox.countSince(accountId, 'sign-in', 0)
    expect(count).toBe(5)
  })
})

describe('keys', () => {
  test('are made, listed without secrets, and revoked', async () => {
    const { browser } = await signedIn()
    const made = await browser.perform('keys-create', { name: 'laptop', expiresDays: 30 })
    const secret: string = made.result.key
    expect(made).toMatchObject({ status: 200, result: { name: 'laptop', key: expect.stringMatching(/^sk-inferd-/) } })
    const works = () => fetch(`${server.baseUrl}/account`, { headers: { authorization: `Bearer ${secret}` } })
    expect((await works()).status).toBe(200)
    const list = await browser.perform('keys-list')
    expect(list.result).toMatchObject([
      { name: 'laptop', expiresAtMs: expect.any(Number), revokedAtMs: null },
      { name: 'signup' },
    ])
    expect(list.text).not.toContain(secret)
    expect((await browser.perform('keys-revoke', { key: made.result.id })).status).toBe(200)
    expect((await works()).status).toBe(401)
  })

  test('are named by their id alone', async () => {
    const { browser, key } = await signedIn()
    const answer = await browser.perform('keys-revoke', { key: key.prefix })
    expect(answer).toMatchObject({ status: 404, json: { error: { code: 'key_not_found' } } })
    expect(server.stores.keys.verify(key.key).kind).toBe('valid')
    expect((await browser.perform('keys-revoke', { key: key.id })).status).toBe(200)
  })

  test('of others are as unknown as those that never were', async () => {
    const [ada, bob] = [await signedIn(), await signedIn()]
    const answers = [
      await ada.browser.perform('keys-revoke', { key: bob.key.id }),
      await ada.browser.perform('keys-revoke', { key: 'key_nothing' }),
    ]
    expect(answers.map(({ status, json }) => [status, json.error.code])).toEqual([
      [404, 'key_not_found'],
      [404, 'key_not_found'],
    ])
    expect(server.stores.keys.verify(bob.key.key).kind).toBe('valid')
  })

  test.each([{}, { name: '' }, { name: '  ' }, { name: 'a\nb' }, { name: 'x', expiresDays: 0 }])(
    '%p is refused',
    async (body) => {
      const { browser } = await signedIn()
      expect((await browser.perform('keys-create', body)).status).toBe(400)
    },
  )

  test('are at most a hundred of an account', async () => {
    const { browser, accountId } = await signedIn()
    for (let index = 0; index < 99; index++) server.stores.keys.create({ accountId, name: 'x' })
    expect((await browser.perform('keys-create', { name: 'x' })).json.error.code).toBe('too_many_keys')
    await browser.perform('keys-revoke', { key: (await browser.perform('keys-list')).result[0].id })
    expect((await browser.perform('keys-create', { name: 'x' })).status).toBe(200)
    const page = (await browser.perform('keys-list')).result
    expect(page).toHaveLength(100)
    const rest = await browser.perform('keys-list', { before: page.at(-1).id })
    expect(rest.result).toMatchObject([{ name: 'signup' }])
    expect((await browser.perform('keys-list', { state: 'ended' })).result).toHaveLength(1)
    expect((await browser.perform('keys-list', { state: 'usable', limit: 99 })).result).toHaveLength(99)
    for (const input of [{ limit: 101 }, { limit: 0 }, { state: 'x' }, { before: 'key_none' }])
      expect([input, (await browser.perform('keys-list', input)).status]).toEqual([input, 400])
  })
})

test('who changes too much in a short time is told when to go on', async () => {
  const { browser, accountId } = await signedIn()
  const rename = () => browser.perform('accounts-rename-own', { name: 'x' })
  const answers: Awaited<ReturnType<typeof rename>>[] = []
  for (let index = 0; index < 121; index++) answers.push(await rename())
  const last = answers.at(-1)
  expect(answers[0]?.status).toBe(200)
  expect(last).toMatchObject({ status: 429, json: { error: { code: 'too_many_changes', type: 'rate_limit_error' } } })
  expect(Number(last?.headers.get('retry-after'))).toBeWithin(1, 61)
  expect(server.stores.audit.list({ accountId, action: 'account.rename' })).toHaveLength(1)
  expect((await browser.perform('keys-list')).status).toBe(200)
})

test('a voucher is redeemed once, and shows in the ledger', async () => {
  const { browser } = await signedIn()
  const { stores } = server
  const [voucher] = stores.vouchers.create({ amountNanoUsd: 20_000_000_000, count: 1, actor: 'cli:root' })
  const redeem = () => browser.perform('vouchers-redeem', { code: voucher?.code.toLowerCase() })
  expect((await redeem()).result).toEqual({ amountUsd: '20', balanceUsd: '20' })
  expect((await redeem()).json.error).toMatchObject({ code: 'voucher_used', param: 'code' })
  expect((await browser.perform('vouchers-redeem', { code: 'VC-1' })).json.error.code).toBe('voucher_unknown')
  const always = { fromMs: 0, toMs: clock.nowMs + 1 }
  const { result } = await browser.perform('statement-list', { ...always, limit: 1 })
  expect(result).toMatchObject([{ kind: 'voucher', amountUsd: '20', balanceAfterUsd: '20' }])
  const before = await browser.perform('statement-list', { ...always, before: String(result[0].id) })
  expect(before.result).toMatchObject([{ kind: 'signup', amountUsd: '0' }])
})

test('guesses of voucher codes are limited', async () => {
  const { browser } = await signedIn()
  const statuses: number[] = []
  for (let index = 0; index < 22; index++) {
    statuses.push((await browser.perform('vouchers-redeem', { code: `VC-${index}` })).status)
  }
  expect(statuses.filter((status) => status === 400)).toHaveLength(20)
  expect(statuses.slice(20)).toEqual([429, 429])
})

test('usage is reported by day, model and key', async () => {
  const { browser, accountId, key } = await signedIn()
  server.stores.ledger.append({ accountId, kind: 'credit', amountNanoUsd: 1_000_000, actor: 'system' })
  const chat = await fetch(`${server.baseUrl}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key.key}` },
    body: JSON.stringify({ model: 'test/paid', messages: [{ role: 'user', content: 'one two' }] }),
  })
  expect(chat.status).toBe(200)
  const sums = {
    requests: 1,
    promptTokens: 5,
    completionTokens: 2,
    costUsd: '0.00000011',
    chargedUsd: '0.00000011',
  }
  const day = new Date(clock.nowMs).toISOString().slice(0, 10)
  const usage = async (input: object) => (await browser.perform('usage-report', input)).result
  expect(await usage({ by: ['day'] })).toMatchObject({
    rows: [{ groups: [{ by: 'day', id: day }], ...sums }],
    total: sums,
  })
  expect((await usage({ by: ['model'] })).rows).toMatchObject([{ groups: [{ by: 'model', id: 'test/paid' }], ...sums }])
  expect((await usage({ by: ['key'] })).rows).toMatchObject([
    { groups: [{ by: 'key', id: key.id, label: 'signup' }], ...sums },
  ])
  expect((await usage({ by: ['day'], toMs: Date.UTC(2020, 0, 1) })).rows).toEqual([])
  for (const input of [
    { by: ['account'] },
    { by: ['x'] },
    { by: ['day', 'day'] },
    { by: ['day', 'account'] },
    { by: ['day', 'model', 'key'] },
    { by: [] },
    { by: ['day'], fromMs: 'yesterday' },
    { by: ['day'], measure: 'colour' },
  ]) {
    expect([input, (await browser.perform('usage-report', input)).status]).toEqual([input, 400])
  }
  const own = await fetch(`${server.baseUrl}/account`, { headers: { authorization: `Bearer ${key.key}` } })
  expect(await own.json()).toMatchObject({
    object: 'account',
    id: accountId,
    currency: 'USD',
    balance: 0.00099989,
    balance_usd: '0.00099989',
    held: 0,
    is_unmetered: false,
    recent_usage: [
      { model: 'test/paid', cost_usd: '0.00000011', finish: 'stop', request_id: chat.headers.get('x-request-id') },
    ],
    top_up_url: `${server.url}/dashboard/billing`,
  })
})

describe('the password', () => {
  test('is changed by the password so far, which ends other sessions', async () => {
    const { browser, email, password } = await signedIn()
    const elsewhere = new DashboardClient(server)
    await elsewhere.send('sign-in', { body: { email, password } })
    expect((await browser.perform('accounts-set-password', { new: 'a-new-one-9' })).json.error.param).toBe('current')
    expect((await browser.perform('accounts-set-password', { current: 'wrong one', new: 'a-new-one-9' })).status).toBe(
      400,
    )
    expect((await browser.perform('accounts-set-password', { current: password, new: 'short' })).json.error.code).toBe(
      'weak_password',
    )
    expect((await browser.perform('accounts-set-password', { current: password, new: 'a-new-one-9' })).status).toBe(200)
    expect([
      (await browser.perform('accounts-show-own')).status,
      (await elsewhere.perform('accounts-show-own')).status,
    ]).toEqual([200, 401])
    expect((await elsewhere.send('sign-in', { body: { email, password: 'a-new-one-9' } })).status).toBe(200)
  })

  test('is set without one after signing in by a link', async () => {
    const { accountId } = await newAccount(null)
    const browser = DashboardClient.signedIn(server, accountId)
    expect((await browser.perform('accounts-show-own')).result.hasPassword).toBe(false)
    expect((await browser.perform('accounts-set-password', { new: 'a-new-one-9' })).status).toBe(200)
  })
})

test('for half an hour after signing in by a link, a forgotten password is replaced', async () => {
  const { accountId, email } = await newAccount()
  const browser = new DashboardClient(server)
  const byLink = async () =>
    browser.send('session', { body: { token: server.stores.mailTokens.mint(accountId, 'sign-in') } })
  await byLink()
  await browser.perform('accounts-set-password', { new: 'forgotten-soon' })
  await byLink()
  clock.nowMs += 30 * 60_000
  expect((await browser.perform('accounts-set-password', { new: 'a-new-one-9' })).status).toBe(400)
  await byLink()
  expect((await browser.perform('accounts-set-password', { new: 'a-new-one-9' })).status).toBe(200)
  const answer = await new DashboardClient(server).send('sign-in', { body: { email, password: 'a-new-one-9' } })
  expect(answer.status).toBe(200)
})

test.each([
  ['unconfirmed', false],
  ['confirmed by the link of the first mail', true],
])(
  'a stranger who signed up with an address, %s, is signed out once its owner signs in by a link',
  async (_, isConfirmed) => {
    const stranger = await signedIn()
    if (isConfirmed) {
      const token = server.stores.mailTokens.mint(stranger.accountId, 'confirm')
      expect((await fetch(`${server.url}/confirm?token=${token}`, { method: 'POST' })).status).toBe(200)
      // The stranger cannot stay by setting a new password, though this invalidates earlier links.
      const mine = { current: stranger.password, new: 'still-mine-99' }
      expect((await stranger.browser.perform('accounts-set-password', mine)).status).toBe(200)
    }
    const owner = new DashboardClient(server)
    const byLink = () => server.stores.mailTokens.mint(stranger.accountId, 'sign-in')
    await owner.send('session', { body: { token: byLink() } })
    expect((await stranger.browser.perform('accounts-show-own')).status).toBe(401)
    const { email } = stranger
    const password = isConfirmed ? 'still-mine-99' : stranger.password
    expect((await new DashboardClient(server).send('sign-in', { body: { email, password } })).status).toBe(401)
    // A link ends no sessions once the owner has set the password.
    await owner.perform('accounts-set-password', { new: 'a-new-one-9' })
    await new DashboardClient(server).send('session', { body: { token: byLink() } })
    expect((await owner.perform('accounts-show-own')).status).toBe(200)
  },
)

test('a request that was begun before its session ended changes nothing', async () => {
  const { accountId, browser } = await signedIn()
  const body = JSON.stringify({ name: 'late' })
  const { socket, closed, until } = await openRaw(server.url)
  const head = [
    'POST /dashboard/api/operations/keys-create HTTP/1.1',
    `Host: ${new URL(server.url).host}`,
    `Origin: ${server.url}`,
    `Cookie: ${browser.cookie}`,
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
    'Expect: 100-continue',
    'Connection: close',
  ]
  socket.write(`${head.join('\r\n')}\r\n\r\n`)
  await until('100 Continue') // the server handles the request, and waits for its body
  server.stores.sessions.endAll(accountId)
  socket.write(body)
  expect(await closed()).toContain('HTTP/1.1 401')
  expect(server.stores.keys.list({ accountId }).map(({ name }) => name)).not.toContain('late')
})

test('a new password invalidates unused mailed links', async () => {
  const { accountId, browser, password } = await signedIn()
  const token = server.stores.mailTokens.mint(accountId, 'sign-in')
  expect((await browser.perform('accounts-set-password', { current: password, new: 'a-new-one-9' })).status).toBe(200)
  expect((await new DashboardClient(server).send('session', { body: { token } })).status).toBe(401)
})

test('a password that is changed during a sign-in with it signs in no more', async () => {
  const { accountId, email, password } = await signedIn()
  const late = new DashboardClient(server)
  const { accounts } = server.stores
  const facts = accounts.signInFacts.bind(accounts)
  // The password changes right after its hash was read.
  accounts.signInFacts = (address) => {
    const found = facts(address)
    accounts.signInFacts = facts
    accounts.setPasswordHash(accountId, 'another')
    return found
  }
  expect((await late.send('sign-in', { body: { email, password } })).status).toBe(401)
})

test('other sites learn nothing about what is allowed here', async () => {
  const preflight = await fetch(`${server.url}/dashboard/api/operations/keys-create`, {
    method: 'OPTIONS',
    headers: { origin: 'https://evil.example', 'access-control-request-method': 'POST' },
  })
  expect([...preflight.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([])
  const refused = await new DashboardClient(server).perform('accounts-show-own')
  expect(refused.headers.get('cache-control')).toBe('no-store')
  expect(refused.headers.has('www-authenticate')).toBe(false)
})

test('behind https only the cookie counts that this very host has set', async () => {
  await using secure = startTestServer({ config: { publicUrl: 'https://box.example' } })
  const secret = secure.stores.sessions.begin(secure.accountId)
  const me = (name: string, host: string) =>
    fetch(`${secure.url}/dashboard/api/operations/accounts-show-own`, {
      method: 'POST',
      headers: {
        host,
        cookie: `${name}=${secret}`,
        origin: host === 'localhost' ? `http://${host}` : 'https://box.example',
        'content-type': 'application/json',
      },
      body: '{}',
    })
  expect((await me('inferd_session', 'box.example')).status).toBe(401)
  expect((await me('__Host-inferd_session', 'box.example')).status).toBe(200)
  expect((await me('inferd_session', 'localhost')).status).toBe(200)
})

test.each([
  ['https://box.example', 'box.example', 202],
  ['https://box.example', 'inner:8080', 202],
  ['http://box.example', 'box.example', 403],
  ['http://inner:8080', 'inner:8080', 202],
  ['http://inner', 'inner:8080', 403],
])('behind https a page of %s at the host %s is answered %i', async (origin, host, status) => {
  await using secure = startTestServer({ config: { publicUrl: 'https://box.example', hostNames: ['inner'] } })
  const response = await fetch(`${secure.url}/dashboard/api/sign-in-link`, {
    method: 'POST',
    headers: { origin, host, 'content-type': 'application/json' },
    body: JSON.stringify({ email: 'ada@example.org' }),
  })
  expect(response.status).toBe(status)
})

test('the confirmation is sent again, until the address is confirmed', async () => {
  const { browser, accountId } = await signedIn()
  const waiting = () => server.stores.outbox.countSince(accountId, 'confirm', 0)
  const resend = async () => (await browser.perform('accounts-resend-confirmation')).result
  expect(await resend()).toEqual({ isConfirmed: false, sendsMail: false })
  expect(waiting()).toBe(2)
  server.stores.accounts.confirm(accountId, 0)
  expect(await resend()).toMatchObject({ isConfirmed: true })
  expect(waiting()).toBe(2)
})
