/**
 * Every route of the server against everybody who has no business there. The routes come from the server itself: one that
 * stands in no row here fails.
 */
import { afterAll, describe, expect, test } from 'bun:test'
import { DashboardClient } from '../testing/dashboard-client.ts'
import { encoderModels } from '../testing/encoder-models.ts'
import { startTestServer } from '../testing/test-server.ts'
import { routes } from './routes.ts'

const clock = { nowMs: 1_800_000_000_000 }
const server = startTestServer({
  clock: () => clock.nowMs,
  monotonicMs: () => clock.nowMs,
  models: { 'test/other': {}, ...encoderModels },
})
afterAll(() => server[Symbol.asyncDispose]())

const chat = { model: 'fake', messages: [{ role: 'user', content: 'hi' }], max_tokens: 5, input: 'hi' }

/** Who may use a route: everybody, the holder of a key, whoever is signed in, or anybody on one of our own pages. */
type Guard = 'public' | 'key' | 'session' | 'own-page'

interface Row {
  readonly guard: Guard
  /** Sent by POSTs. */
  readonly body?: unknown
  /** A path for patterns that end in `*`. */
  readonly path?: string
  /** What the rightful caller gets; 200 unless it says otherwise. */
  readonly status?: number
}

const api: Readonly<Record<string, Row>> = {
  'POST /chat/completions': { guard: 'key', body: chat },
  'POST /messages': { guard: 'key', body: chat },
  'POST /messages/count_tokens': { guard: 'key', body: chat },
  'POST /responses': { guard: 'key', body: chat },
  'POST /responses/input_tokens': { guard: 'key', body: chat },
  'POST /embeddings': { guard: 'key', body: { model: 'embedder', input: 'hi' } },
  'POST /rerank': { guard: 'key', body: { model: 'reranker', query: 'hi', documents: ['hi'] } },
  'GET /responses': { guard: 'public', status: 405 },
  'GET /responses/*': { guard: 'public', path: '/responses/resp_1', status: 404 },
  'POST /responses/*': { guard: 'public', path: '/responses/resp_1/cancel', status: 404, body: {} },
  'DELETE /responses/*': { guard: 'public', path: '/responses/resp_1', status: 404 },
  'POST /signup': { guard: 'public', body: {}, status: 400 },
  'GET /account': { guard: 'key' },
  'GET /models': { guard: 'public' },
  'GET /models/*': { guard: 'public', path: '/models/test/fake' },
}

const table: Readonly<Record<string, Row>> = {
  ...Object.fromEntries(
    ['/v1', '/openai/v1'].flatMap((prefix) => Object.entries(api).map(([route, row]) => prefixed(prefix, route, row))),
  ),
  'GET /': { guard: 'public' },
  'GET /openai': { guard: 'public' },
  'GET /health': { guard: 'public' },
  'GET /ready': { guard: 'public' },
  'GET /docs/errors': { guard: 'public' },
  'GET /docs/models': { guard: 'public' },
  'GET /confirm': { guard: 'public', status: 404 },
  'GET /sign-in': { guard: 'public' },
  'GET /dashboard': { guard: 'public' },
  'GET /dashboard/billing': { guard: 'public' },
  'POST /dashboard/api/sign-in': { guard: 'own-page', body: { email: 'a@example.org', password: 'x' }, status: 401 },
  'POST /dashboard/api/sign-in-link': { guard: 'own-page', body: { email: 'a@example.org' }, status: 202 },
  'POST /dashboard/api/session': { guard: 'own-page', body: { token: 'x' }, status: 401 },
  'POST /dashboard/api/sign-out': { guard: 'own-page', body: {} },
  'GET /dashboard/api/me': { guard: 'session' },
  'GET /dashboard/api/keys': { guard: 'session' },
  'POST /dashboard/api/keys': { guard: 'session', body: { name: 'x' }, status: 201 },
  'DELETE /dashboard/api/keys/*': { guard: 'session', path: '/dashboard/api/keys/key_nothing', status: 404 },
  'GET /dashboard/api/usage': { guard: 'session' },
  'GET /dashboard/api/ledger': { guard: 'session' },
  'POST /dashboard/api/vouchers/redeem': { guard: 'session', body: { code: 'VC-1' }, status: 400 },
  'POST /dashboard/api/confirmation': { guard: 'session', body: {}, status: 202 },
  'POST /dashboard/api/password': { guard: 'session', body: { new: 'short' }, status: 400 },
}

function prefixed(prefix: string, route: string, row: Row): [string, Row] {
  const [method, path] = route.split(' ')
  return [`${method} ${prefix}${path}`, row.path === undefined ? row : { ...row, path: prefix + row.path }]
}

interface Attack {
  readonly headers: Record<string, string> | (() => Record<string, string>)
  /** What keeps this caller out, where something does. */
  readonly keyCode: string
  readonly isMember?: boolean
}

const victim = server.payer(1_000_000_000)
const attacker = server.payer(1_000)
const disabled = server.payer(1_000)
server.stores.directory.setDisabled(disabled.accountId, true)

const ended = server.stores.sessions.begin(attacker.accountId)
server.stores.sessions.end(ended)
const expired = server.stores.sessions.begin(attacker.accountId)
clock.nowMs += 31 * 24 * 60 * 60 * 1000
const session = server.stores.sessions.begin(attacker.accountId)

const bearer = (key: string) => ({ authorization: `Bearer ${key}` })
const cookie = (secret: string) => ({ cookie: `inferd_session=${secret}` })
const own = { origin: server.url }

const attacks: Readonly<Record<string, Attack>> = {
  'no key': { headers: own, keyCode: 'missing_api_key' },
  garbage: { headers: { ...own, ...bearer("' OR 1=1 --") }, keyCode: 'invalid_api_key' },
  'a key that is too long': { headers: { ...own, ...bearer('sk-inferd-'.repeat(1_000)) }, keyCode: 'invalid_api_key' },
  'an unknown key': { headers: { ...own, ...bearer(server.keys.unknown) }, keyCode: 'invalid_api_key' },
  'a revoked key': { headers: { ...own, ...bearer(server.keys.revoked) }, keyCode: 'key_revoked' },
  'an expired key': { headers: { ...own, ...bearer(server.keys.expired) }, keyCode: 'key_expired' },
  'a key of a disabled account': { headers: { ...own, ...bearer(disabled.key) }, keyCode: 'account_disabled' },
  'a key in another scheme': {
    headers: { ...own, authorization: `Basic ${attacker.key}` },
    keyCode: 'missing_api_key',
  },
  'a made-up session': { headers: { ...own, ...cookie('x'.repeat(43)) }, keyCode: 'missing_api_key' },
  'a session that has ended': { headers: { ...own, ...cookie(ended) }, keyCode: 'missing_api_key' },
  'a session that has expired': { headers: { ...own, ...cookie(expired) }, keyCode: 'missing_api_key' },
  'a session': {
    // One of its own each time: signing out ends it.
    headers: () => ({ ...own, ...cookie(server.stores.sessions.begin(attacker.accountId)) }),
    keyCode: 'missing_api_key',
    isMember: true,
  },
  'a session’s secret as a key': { headers: { ...own, ...bearer(session) }, keyCode: 'invalid_api_key' },
  'a key as a session': { headers: { ...own, ...cookie(attacker.key) }, keyCode: 'missing_api_key' },
}

async function send(route: string, row: Row, headers: Record<string, string>) {
  const [method = '', pattern = ''] = route.split(' ')
  const response = await fetch(server.url + (row.path ?? pattern), {
    method,
    redirect: 'manual',
    headers: { ...(row.body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
    ...(row.body === undefined ? {} : { body: JSON.stringify(row.body) }),
  })
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.startsWith('application/json')
  const code: unknown = isJson ? Object(Object(JSON.parse(text)).error).code : undefined
  return { status: response.status, code, text }
}

test('every route stands in the table', () => {
  expect(routes.map(({ method, path }) => `${method} ${path}`).sort()).toEqual(Object.keys(table).sort())
})

describe.each(Object.entries(attacks))('%s', (_, { headers, keyCode, isMember = false }) => {
  test.each(Object.entries(table))('at %s', async (route, row) => {
    // So that nobody is kept out for having tried too often.
    clock.nowMs += 60_000
    const { status, code, text } = await send(route, row, typeof headers === 'function' ? headers() : headers)
    const isLetIn = row.guard === 'public' || row.guard === 'own-page' || (row.guard === 'session' && isMember)
    if (isLetIn) expect(status).toBe(row.status ?? 200)
    else expect({ status, code }).toEqual({ status: 401, code: row.guard === 'key' ? keyCode : 'not_signed_in' })
    for (const secret of [victim.key, victim.accountId, victim.keyId, attacker.key]) expect(text).not.toContain(secret)
  })
})

describe.each([
  ['from a page of another site', { origin: 'https://evil.example' }],
  ['from nowhere', {}],
  ['from a file', { origin: 'null' }],
  ['from another port of this host', { origin: server.url.replace(/\d+$/, '1') }],
])('with a session, %s', (_, origin: Record<string, string>) => {
  const changing = Object.entries(table).filter(
    ([route, { guard }]) => /^(POST|DELETE)/.test(route) && ['session', 'own-page'].includes(guard),
  )

  test.each(changing)('%s', async (route, row) => {
    const { status, code } = await send(route, row, { ...cookie(session), ...origin })
    expect({ status, code }).toEqual({ status: 403, code: 'cross_origin' })
  })
})

test('nothing of another account is to be had by its ids', async () => {
  const browser = new DashboardClient(server, `inferd_session=${session}`)
  const answers = [
    await browser.send(`keys/${victim.keyId}`, { method: 'DELETE' }),
    await browser.send(`keys/${encodeURIComponent(`x' OR '1'='1`)}`, { method: 'DELETE' }),
    await browser.send(`ledger?account_id=${victim.accountId}`),
    await browser.send(`usage?by=key&account_id=${victim.accountId}`),
    await browser.send('me'),
    await browser.send('keys'),
  ]
  expect(answers.map(({ status }) => status)).toEqual([404, 404, 200, 200, 200, 200])
  const [, , ledger] = answers
  expect(ledger?.json.data.map((row: { balance_after_usd: string }) => row.balance_after_usd)).toEqual(['0.000001'])
  for (const { text } of answers) {
    for (const id of [victim.accountId, victim.keyId, victim.key]) expect(text).not.toContain(id)
  }
  expect(server.stores.keys.verify(victim.key).kind).toBe('valid')
})

test('what was tried has taken nothing from anybody', () => {
  expect([victim.money(), attacker.money()]).toEqual([
    { balance: 1_000_000_000, held: 0 },
    { balance: 1_000, held: 0 },
  ])
})
