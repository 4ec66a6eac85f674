import { expect, test } from 'bun:test'
import { TOTP } from 'otpauth'
import { parseEmail, parseNewEmail } from '../accounts/email-address.ts'
import { startTestServer, type TestServer, type TestServerOptions } from '../testing/test-server.ts'

const password = 'a long enough one'

class OperatorPage {
  readonly #server: TestServer
  cookie: string | undefined

  constructor(server: TestServer) {
    this.#server = server
  }

  async post(path: string, body: unknown, headers: Record<string, string> = {}) {
    const response = await fetch(this.#server.url + path, {
      method: 'POST',
      headers: {
        origin: this.#server.url,
        'content-type': 'application/json',
        ...(this.cookie !== undefined && { cookie: this.cookie }),
        ...headers,
      },
      body: JSON.stringify(body),
    })
    const [set] = response.headers.getSetCookie()
    if (set !== undefined) this.cookie = set.split(';')[0]
    const json = Object(await response.json())
    return { status: response.status, set, json, error: json.error }
  }

  call(name: string, input: object = {}) {
    return this.post(`/admin/api/operations/${name}`, input)
  }

  /** Chooses the password of the operator's own account. */
  async setUp(token = this.#server.stores.setupLinks.mint(this.#server.accountId).token) {
    return await this.post('/admin/api/setup', { token, name: 'Grace', password })
  }
}

async function signedIn(options: TestServerOptions = {}) {
  const server = startTestServer(options)
  const page = new OperatorPage(server)
  expect(await page.setUp()).toMatchObject({ status: 200, json: { signed_in: true, is_staff: true } })
  return { server, page, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() }
}

function member(server: TestServer, address = 'ada@example.org'): string {
  const email = parseEmail(address)
  const id = email && server.stores.accounts.create({ email, name: 'Ada' })
  if (id === undefined) throw new Error('this is a new address')
  return id
}

test('a setup link works once, within half an hour, and the latest alone', async () => {
  let nowMs = 1_800_000_000_000
  await using server = startTestServer({ clock: () => nowMs })
  const page = new OperatorPage(server)
  const mint = () => server.stores.setupLinks.mint(server.accountId).token
  const [earlier, token] = [mint(), mint()]
  const words = { status: 401, error: { code: 'invalid_link', message: expect.stringContaining('inferd admin link') } }
  expect(await page.setUp(earlier)).toMatchObject(words)
  expect(await page.setUp(`${token}x`)).toMatchObject(words)
  expect((await page.setUp(token)).set).toContain(`Max-Age=${7 * 24 * 60 * 60};`.slice(0, -1))
  expect((await page.setUp(token)).error.message).toStartWith('This link was used before')
  const late = mint()
  nowMs += 30 * 60 * 1000
  expect((await page.setUp(late)).error.message).toStartWith('This link has expired.')
  expect(server.stores.accounts.find(server.accountId)).toMatchObject({ name: 'Grace', role: 'operator' })
})

test('a setup link ends the sessions of the account: it is the way back from a stolen one', async () => {
  await using session = await signedIn()
  const other = new OperatorPage(session.server)
  expect((await other.setUp()).status).toBe(200)
  expect((await session.page.call('accounts-list')).status).toBe(401)
  expect((await other.call('accounts-list')).status).toBe(200)
})

test('the password of a new operator ends, which a stranger may have chosen', async () => {
  await using session = await signedIn()
  const { server, page } = session
  const account = member(server)
  const link = await page.call('admin-link', { account })
  expect(link).toMatchObject({ status: 409, error: { param: 'account' } })
  server.stores.accounts.setPasswordHash(account, await Bun.password.hash(password))
  const stranger = new OperatorPage(server)
  const signIn = () => stranger.post('/dashboard/api/sign-in', { email: 'ada@example.org', password })
  expect((await signIn()).json).toEqual({ signed_in: true, is_staff: false })
  await page.call('accounts-set-role', { account, role: 'operator' })
  expect((await signIn()).error.code).toBe('invalid_credentials')
})

test('a mailed link neither replaces nor ends the password of an operator', async () => {
  await using session = await signedIn()
  const { server, page } = session
  const account = member(server)
  await page.call('accounts-set-role', { account, role: 'operator' })
  expect((await new OperatorPage(server).setUp(server.stores.setupLinks.mint(account).token)).status).toBe(200)
  const reader = new OperatorPage(server)
  const { link } = (await page.call('accounts-sign-in-link', { account })).json.result
  const token = new URL(link).searchParams.get('token')
  expect((await reader.post('/dashboard/api/session', { token })).status).toBe(200)
  const chosen = await reader.post('/dashboard/api/operations/accounts-set-password', { new: 'another long one' })
  expect(chosen.error.code).toBe('invalid_credentials')
  const signIn = await reader.post('/dashboard/api/sign-in', { email: 'ada@example.org', password })
  expect(signIn.json).toEqual({ signed_in: true, is_staff: true })
})

test('a weak password does not use the link up', async () => {
  await using server = startTestServer()
  const page = new OperatorPage(server)
  const { token } = server.stores.setupLinks.mint(server.accountId)
  const weak = await page.post('/admin/api/setup', { token, name: 'Grace', password: 'short' })
  expect(weak).toMatchObject({ status: 400, error: { code: 'weak_password', param: 'password' } })
  expect((await page.setUp(token)).status).toBe(200)
})

test('an operator signs in by the name of the operator’s own account, and to nothing by a mailed link', async () => {
  await using session = await signedIn()
  const { server, page } = session
  const other = new OperatorPage(server)
  const signIn = (body: object) => other.post('/dashboard/api/sign-in', body)
  expect(await signIn({ email: 'grace ', password })).toMatchObject({ status: 200, json: { is_staff: true } })
  expect((await other.call('accounts-list')).status).toBe(200)
  expect((await signIn({ email: 'Grace', password: 'another one' })).error.code).toBe('invalid_credentials')

  const id = member(server)
  expect((await page.call('accounts-set-role', { account: id, role: 'operator' })).json.result.role).toBe('operator')
  const { link } = (await page.call('accounts-sign-in-link', { account: id })).json.result
  const token = new URL(link).searchParams.get('token')
  expect(await other.post('/dashboard/api/session', { token })).toMatchObject({
    status: 200,
    json: { is_staff: false },
  })
  expect(await other.call('accounts-list')).toMatchObject({ status: 403, error: { code: 'not_an_operator' } })
  const chosen = await other.post('/dashboard/api/operations/accounts-set-password', { new: password })
  expect(chosen).toMatchObject({ status: 403, error: { code: 'setup_link_needed' } })

  const made = (await page.call('admin-link', { account: id })).json.result.link
  expect(made).toStartWith(`${server.url}/admin/setup#`)
  expect((await other.setUp(new URL(made).hash.slice(1))).status).toBe(200)
  expect((await other.call('accounts-list')).status).toBe(200)
  await page.call('accounts-set-role', { account: id, role: 'member' })
  expect((await other.call('accounts-list')).status).toBe(401)
})

test('an operation’s result is what the command prints, with the operator in the audit log and the ledger', async () => {
  await using session = await signedIn()
  const { server, page } = session
  const account = member(server)
  const credit = { account, amount: '20.000000001', memo: 'invoice 7', idempotencyKey: 'k1' }
  const result = {
    account,
    email: 'ada@example.org',
    kind: 'credit',
    amountUsd: credit.amount,
    balanceUsd: credit.amount,
  }
  expect(await page.call('ledger-credit', credit)).toMatchObject({ status: 200, json: { result } })
  expect((await page.call('ledger-credit', credit)).json.result).toEqual(result)
  const { ledger } = (await page.call('accounts-show', { account })).json.result
  expect(ledger).toMatchObject([{ kind: 'credit', actor: `operator:${server.accountId}` }, { kind: 'signup' }])
  const [entry] = (await page.call('audit-list', { account })).json.result
  expect(entry).toMatchObject({ action: 'credit', actor: `operator:${server.accountId}` })
})

test.each([
  ['accounts-list', { limit: 101 }, 400, 'invalid_input', 'limit'],
  ['accounts-create', { email: 'nobody', isUnmetered: false }, 400, 'invalid_input', 'email'],
  ['ledger-credit', { account: 'acc_none', amount: '1' }, 404, 'account_not_found', 'account'],
  ['ledger-credit', { account: 'acc_none', amount: '1e3' }, 400, 'invalid_input', 'amount'],
  ['ledger-credit', { account: 'ada@example.org', amount: '-1' }, 409, 'operation_failed', 'amount'],
  ['keys-create', {}, 400, 'invalid_input', 'name'],
  ['sessions-list', { account: 'acc_none' }, 404, 'account_not_found', 'account'],
  ['accounts-sign-up', { email: 'x@example.org' }, 404, 'not_found', null],
  ['__proto__', {}, 404, 'not_found', null],
])('%s %j is refused in words', async (name, input, status, code, param) => {
  await using session = await signedIn()
  member(session.server)
  expect(await session.page.call(name, input)).toMatchObject({ status, error: { code, param } })
})

test('a limit that is none is told the same bounds as one that is too large', async () => {
  await using session = await signedIn()
  for (const limit of [0, 1.5, '5', 101]) {
    const { error } = await session.page.call('audit-list', { limit })
    expect(error.message).toBe("'limit' must be a whole number from 1 to 100.")
  }
})

test('the operator’s own account stays unmetered, in force and an operator’s', async () => {
  await using session = await signedIn()
  const account = session.server.accountId
  for (const [name, input] of [
    ['accounts-set-unmetered', { isUnmetered: false }],
    ['accounts-set-disabled', { isDisabled: true }],
    ['accounts-set-role', { role: 'member' }],
  ] as const) {
    const answer = await session.page.call(name, { account, ...input })
    expect(answer).toMatchObject({ status: 409, error: { code: 'own_account', param: 'account' } })
  }
})

test('sessions are listed with what used them and ended one by one, the caller’s own last', async () => {
  await using session = await signedIn()
  const { server, page } = session
  const other = new OperatorPage(server)
  await other.post('/dashboard/api/sign-in', { email: 'Grace', password }, { 'user-agent': 'Lynx/2' })
  const rows = (await page.call('sessions-list')).json.result
  expect(rows).toMatchObject([
    { role: 'operator', isCurrent: false, address: '127.0.0.1', userAgent: 'Lynx/2' },
    { isCurrent: true },
  ])
  expect(JSON.stringify(rows)).not.toContain((other.cookie ?? '').split('=')[1] ?? '?')
  expect((await page.call('sessions-end', { session: rows[0].id })).json.result.ended).toBe(1)
  expect((await page.call('sessions-end', { session: rows[0].id })).error.code).toBe('session_not_found')
  expect((await other.call('accounts-list')).error.code).toBe('not_signed_in')
  expect((await page.call('sessions-end')).json.result.ended).toBe(0)
  expect((await page.call('accounts-list')).status).toBe(200)
})

test('an operator’s session ends after twelve hours without use, and after a week', async () => {
  let nowMs = 1_800_000_000_000
  const hourMs = 60 * 60 * 1000
  await using session = await signedIn({ clock: () => nowMs })
  for (let hours = 0; hours < 7 * 24 - 11; hours += 11) {
    expect((await session.page.call('books-check')).status).toBe(200)
    nowMs += 11 * hourMs
  }
  nowMs += 3 * hourMs
  expect((await session.page.call('books-check')).status).toBe(401)
  await session.page.setUp()
  nowMs += 12 * hourMs
  expect((await session.page.call('books-check')).status).toBe(401)
})

test('a browser on another machine gets a page that says how to reach the operator’s pages', async () => {
  await using server = startTestServer({ config: { publicUrl: 'https://box.example' } })
  const headers = { accept: 'text/html', host: 'box.example', 'x-forwarded-for': '203.0.113.7' }
  const answer = await fetch(`${server.url}/admin`, { headers })
  expect(answer.status).toBe(403)
  expect(answer.headers.get('content-type')).toContain('text/html')
  expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'")
  const text = await answer.text()
  const { port } = new URL(server.url)
  expect(text).toContain(`<code>ssh -L ${port}:127.0.0.1:${port} box.example</code>`)
  expect(text).toContain(`http://127.0.0.1:${port}/admin`)
  expect(text).toContain('--admin network')
})

test('a setup link that a page asks for leads where the page came from', async () => {
  await using server = startTestServer({ config: { publicUrl: 'https://box.example', admin: 'network' } })
  const secret = server.stores.sessions.begin(server.accountId, { hasRoleRights: true })
  const email = parseNewEmail('ann@example.org')
  const account = email && server.stores.accounts.create({ email, name: 'Ann' })
  server.stores.accounts.setRole(account ?? '', 'operator', 'hand')
  for (const [origin, cookie] of [
    ['https://box.example', `__Host-inferd_session=${secret}`],
    [server.url, `inferd_session=${secret}`],
  ] as const) {
    const headers = { origin, host: new URL(origin).host, cookie }
    const answer = await new OperatorPage(server).post('/admin/api/operations/admin-link', { account }, headers)
    expect(answer.json.result.link).toStartWith(`${origin}/admin/setup#`)
  }
})

test('other machines are let in by --admin network, and nobody with off', async () => {
  const forwarded = { 'x-forwarded-for': '203.0.113.7' }
  for (const [admin, status] of [
    ['loopback', 403],
    ['network', 401],
    ['off', 404],
  ] as const) {
    await using server = startTestServer({ config: { admin } })
    const answer = await new OperatorPage(server).post('/admin/api/operations/accounts-list', {}, forwarded)
    expect({ admin, status: answer.status }).toEqual({ admin, status })
  }
})

test("where operators need a second factor, their pages say so until it is set up, which another site's page cannot do", async () => {
  await using server = startTestServer({ requiresSecondFactor: true })
  const page = new OperatorPage(server)
  expect(await page.setUp()).toMatchObject({ status: 200, json: { is_staff: false } })
  const refusal = { status: 403, error: { code: 'second_factor_required' } }
  expect(await page.call('accounts-list')).toMatchObject(refusal)
  const own = (name: string, input: object, headers = {}) =>
    page.post(`/dashboard/api/operations/second-factor-${name}`, input, headers)
  const evil = { origin: 'http://evil.example' }
  const hijacked = { status: 403, error: { code: 'cross_origin' } }
  expect(await own('begin', { current: password }, evil)).toMatchObject(hijacked)
  const begun = await own('begin', { current: password })
  const code = new TOTP({ secret: begun.json.result.secret }).generate()
  expect(await own('confirm', { code }, evil)).toMatchObject(hijacked)
  expect(await own('confirm', { code }, { 'content-type': 'text/plain' })).toMatchObject({ status: 415 })
  expect(await page.call('accounts-list')).toMatchObject(refusal)
  expect(await own('confirm', { code })).toMatchObject({ status: 200 })
  expect(await page.call('accounts-list')).toMatchObject({ status: 200 })
})
