/**
 * Sends requests to every route of the table as every caller that it does not serve. New routes are attacked without
 * a change here.
 */
import { afterAll, describe, expect, test } from 'bun:test'
import { nothingConsumed } from '../core/usage.ts'
import { accountAnswers } from '../operations/account-answers.ts'
import { DashboardClient } from '../testing/dashboard-client.ts'
import { endedRecord } from '../testing/ended-record.ts'
import { startTestServer } from '../testing/test-server.ts'
import { textModels } from '../testing/text-models.ts'
import { forwardedPaths, pagePaths } from '../wire/page-paths.ts'
import type { Route } from './route.ts'
import { routes } from './routes.ts'

const clock = { nowMs: 1_800_000_000_000 }
const server = startTestServer({
  clock: () => clock.nowMs,
  monotonicMs: () => clock.nowMs,
  models: { 'test/other': {}, ...textModels },
  share: { models: () => [], find: () => undefined, pace: undefined },
})
afterAll(() => server[Symbol.asyncDispose]())

const chat = { model: 'fake', messages: [{ role: 'user', content: 'hi' }], max_tokens: 5, input: 'hi' }

/** Request that a route serves, and its answer. */
interface Served {
  /** Body for POST and PATCH. Defaults to `{}`. */
  readonly body?: unknown
  /** Text in the place of the path's `*`. */
  readonly id?: string
  /** Status of the answer. Defaults to 200. */
  readonly status?: number
}

/**
 * Requests by the row's `on`, by method and whole path, or by the name of an account's operation. A route without an
 * entry must only let its clients in.
 */
const served: Readonly<Record<string, Served>> = {
  'POST /chat/completions': { body: chat },
  'POST /messages': { body: chat },
  'POST /messages/count_tokens': { body: chat },
  'POST /responses': { body: chat },
  'POST /responses/input_tokens': { body: chat },
  'POST /embeddings': { body: { model: 'embedder', input: 'hi' } },
  'POST /chat': { body: chat },
  'POST /generate': { body: { model: 'fake', prompt: 'hi' } },
  'GET /tags': {},
  'GET /ps': {},
  'POST /show': { body: { model: 'fake' } },
  'GET /version': {},
  'POST /rerank': { body: { model: 'reranker', query: 'hi', documents: ['hi'] } },
  'POST /embed': { body: { model: 'embedder', input: 'hi', texts: ['hi'], input_type: 'search_query' } },
  'GET /responses': { status: 405 },
  'POST /signup': { status: 400 },
  'GET /account': {},
  'GET /blobs/*': { id: 'a'.repeat(64), status: 404 },
  'GET /models': {},
  'GET /models/*': { id: 'test/fake' },
  'GET /': {},
  'GET /openai': {},
  'GET /health': {},
  'GET /ready': {},
  'GET /metrics': {},
  'GET /docs': {},
  'GET /docs/errors': {},
  'GET /openapi.json': {},
  'GET /docs/models': {},
  'GET /docs/tls': {},
  'GET /confirm': { status: 404 },
  'POST /confirm': { status: 404 },
  ...Object.fromEntries([...pagePaths, ...forwardedPaths].map((path) => [`GET ${path}`, {}])),
  'GET /ui/*': { status: 404 },
  'POST /sign-in': { body: { email: 'a@example.org', password: 'x' }, status: 401 },
  'POST /sign-in-link': { body: { email: 'a@example.org' }, status: 202 },
  'POST /session': { body: { token: 'x' }, status: 401 },
  'POST /sign-out': {},
  'GET /status': {},
  // A valid id opens an endless stream, which upload-progress.test.ts covers.
  'GET /progress/*': { status: 400 },
  // Without topics: a stream of events has no end.
  'GET /events': { status: 400 },
  'GET /history': {},
  'GET /dashboard/api/ledger': { status: 400 },
  'GET /ledger': {},
  'POST /setup': { body: { token: 'x', name: 'Eve', password: 'x' }, status: 401 },
  'POST /operations/*': { id: 'accounts-list' },
  'accounts-show-own': {},
  'accounts-rename-own': { body: { name: 'x' } },
  'accounts-resend-confirmation': {},
  'accounts-set-password': { body: { new: 'short' }, status: 400 },
  'keys-list': {},
  'keys-create': { body: { name: 'x' } },
  'keys-rename': { body: { key: 'nothing', name: 'x' }, status: 404 },
  'keys-revoke': { body: { key: 'nothing' }, status: 404 },
  'models-loading': {},
  'sessions-list': {},
  'sessions-end': {},
  'statement-days': {},
  'statement-list': { body: { fromMs: 0, toMs: 1 } },
  'statement-sum': { body: { fromMs: 0, toMs: 1 } },
  'limits-set': { status: 400 },
  'teams-list-own': {},
  'second-factor-begin': { status: 400 },
  'second-factor-confirm': { status: 400 },
  'second-factor-remove': { status: 400 },
  'usage-list': {},
  'usage-receipt': { body: { request: 'nothing' }, status: 404 },
  'usage-report': { body: { by: ['day'] } },
  'vouchers-redeem': { body: { code: 'VC-1' }, status: 400 },
}

/** All routes, with the one for accounts' operations replaced by one per operation. */
const attacked = routes.flatMap((route) => {
  if (route.access !== 'session' || route.on !== 'POST /operations/*') return [route]
  return Object.keys(accountAnswers).map((name): Route => ({ ...route, path: route.path.replace('*', name) }))
})

/** Returns the row of `served` for a route: by its operation, by its whole path, or without prefix. */
function servedAt({ on, method, path }: Route): Served | undefined {
  return served[path.replace('/dashboard/api/operations/', '')] ?? served[`${method} ${path}`] ?? served[on]
}

const rows = attacked.map((route) => ({ name: `${route.method} ${route.path}`, route }))

interface Attack {
  readonly headers: Record<string, string> | (() => Record<string, string>)
  /** Error code if this caller is refused */
  readonly keyCode: string
  readonly isMember?: boolean
  readonly isOperator?: boolean
}

const victim = server.payer(1_000_000_000)
const attacker = server.payer(1_000)
const disabled = server.payer(1_000)
server.stores.accounts.setDisabled(disabled.accountId, true)

const ended = server.stores.sessions.begin(attacker.accountId)
server.stores.sessions.end(ended)
const expired = server.stores.sessions.begin(attacker.accountId)
const operators = [1, 2, 3].map(() => server.payer(1_000).accountId)
const [operator = '', former = '', idle = ''] = operators
for (const id of operators) {
  server.stores.accounts.setRole(id, 'operator', 'hand')
  server.stores.accounts.setPasswordHash(id, 'no hash')
}
const beginOperator = (accountId: string) => server.stores.sessions.begin(accountId, { hasRoleRights: true })
const takenBack = beginOperator(former)
server.stores.accounts.setRole(former, 'member', 'hand')
const unused = beginOperator(idle)
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
    // Each request gets a new session, because signing out ends it.
    headers: () => ({ ...own, ...cookie(server.stores.sessions.begin(attacker.accountId)) }),
    keyCode: 'missing_api_key',
    isMember: true,
  },
  'an operator’s session': {
    headers: () => ({ ...own, ...cookie(beginOperator(operator)) }),
    keyCode: 'missing_api_key',
    isMember: true,
    isOperator: true,
  },
  'a session of an operator who came by a mailed link': {
    headers: () => ({ ...own, ...cookie(server.stores.sessions.begin(operator, { isByLink: true })) }),
    keyCode: 'missing_api_key',
    isMember: true,
  },
  'a session of somebody who was an operator': {
    headers: { ...own, ...cookie(takenBack) },
    keyCode: 'missing_api_key',
  },
  'an operator’s session that was not used for a month': {
    headers: { ...own, ...cookie(unused) },
    keyCode: 'missing_api_key',
  },
  'a session’s secret as a key': { headers: { ...own, ...bearer(session) }, keyCode: 'invalid_api_key' },
  'a key as a session': { headers: { ...own, ...cookie(attacker.key) }, keyCode: 'missing_api_key' },
}

const isOfStaff = ({ access }: Route) => access === 'staff'

/** Error codes of refused callers */
const refusals: readonly unknown[] = [
  ...['not_signed_in', 'cross_origin', 'unknown_host', 'not_an_operator', 'admin_is_local'],
  ...Object.values(attacks).map(({ keyCode }) => keyCode),
]

async function send(route: Route, headers: Record<string, string>) {
  const { method, path } = route
  const { body = {}, id = 'nothing' } = servedAt(route) ?? {}
  const hasBody = method === 'POST' || method === 'PATCH'
  const response = await fetch(server.url + path.replace('*', id), {
    method,
    redirect: 'manual',
    headers: { ...(hasBody ? { 'content-type': 'application/json' } : {}), ...headers },
    ...(hasBody ? { body: JSON.stringify(body) } : {}),
  })
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.startsWith('application/json')
  const answered = isJson ? Object(JSON.parse(text)) : {}
  // Some dialects have the code beside the message, without an error object.
  const code: unknown = Object(answered.error).code ?? answered.code
  return { status: response.status, code, text }
}

test('nothing else is served to everybody', () => {
  const open = routes.filter(({ access }) => access === 'public').map(({ on }): string => on)
  expect([...new Set(open)].sort()).toEqual([
    ...[
      'GET /',
      'GET /.well-known/acme-challenge/*',
      'GET /ca.pem',
      'GET /docs',
      'GET /docs/errors',
      'GET /docs/models',
      'GET /docs/tls',
      'GET /health',
    ],
    ...['GET /models', 'GET /models/*', 'GET /openai', 'GET /openapi.json', 'GET /ready', 'GET /responses'],
    'POST /logout/*',
  ])
})

test('the table of answers names no route that is not served', () => {
  const named = attacked.flatMap(({ on, method, path }): string[] => [on, `${method} ${path}`])
  const known = new Set([...named, ...Object.keys(accountAnswers)])
  expect(Object.keys(served).filter((on) => !known.has(on))).toEqual([])
})

describe.each(Object.entries(attacks))('%s', (_, { headers, keyCode, isMember = false, isOperator = false }) => {
  test.each(rows)('at $name', async ({ route }) => {
    // A minute later, the limits of attempts no longer apply.
    clock.nowMs += 60_000
    const { status, code, text } = await send(route, typeof headers === 'function' ? headers() : headers)
    const takesKeys = ['key', 'ollama', 'share'].includes(route.access)
    const takesSessions = ['session', 'playground', 'staff'].includes(route.access)
    const isKeptOut = takesKeys || (takesSessions && !isMember)
    if (isOfStaff(route) && isMember && !isOperator) {
      expect({ status, code }).toEqual({ status: 403, code: 'not_an_operator' })
    } else if (isKeptOut) {
      expect({ status, code }).toEqual({ status: 401, code: takesKeys ? keyCode : 'not_signed_in' })
    } else expectServed(route, { status, code })
    // Operators may see all ids, but no secrets.
    if (isOperator && isOfStaff(route)) return expect(text).not.toContain(victim.key)
    for (const secret of [victim.key, victim.accountId, victim.keyId, attacker.key]) expect(text).not.toContain(secret)
  })
})

function expectServed(route: Route, { status, code }: { status: number; code: unknown }): void {
  const { path } = route
  const answer = servedAt(route)
  if (answer !== undefined) expect({ path, status }).toEqual({ path, status: answer.status ?? 200 })
  expect(status).toBeLessThan(500)
  expect(refusals).not.toContain(code)
}

test.each(rows.filter(({ route }) => route.access === 'share'))(
  'a key of another account is refused at $name',
  async ({ route }) => {
    expect(await send(route, bearer(attacker.key))).toMatchObject({ status: 403, code: 'operator_only' })
  },
)

test.each(rows.filter(({ route }) => ['key', 'ollama', 'share'].includes(route.access)))(
  'a valid key is let in at $name',
  async ({ route }) => {
    expectServed(route, await send(route, bearer(server.keys.valid)))
  },
)

describe.each([
  ['from a page of another site', { origin: 'https://evil.example' }],
  ['from nowhere', {}],
  ['from a file', { origin: 'null' }],
  ['from another port of this host', { origin: server.url.replace(/\d+$/, '1') }],
])('with a session, %s', (_, origin: { origin?: string }) => {
  const isForPages = ({ access }: Route) => !['public', 'key', 'ollama', 'share', 'monitor'].includes(access)
  const changing = rows.filter(({ route }) => route.method !== 'GET' && isForPages(route))

  test.each(changing)('$name', async ({ route }) => {
    const { status, code } = await send(route, { ...cookie(session), ...origin })
    // Scripts, which have no origin, may sign up.
    if (route.access === 'own-host' && origin.origin === undefined) expectServed(route, { status, code })
    else expect({ status, code }).toEqual({ status: 403, code: 'cross_origin' })
  })
})

/** Routes of pages that change something. */
const writes = rows.filter(
  ({ route }) => route.method !== 'GET' && !['public', 'key', 'ollama', 'share', 'monitor'].includes(route.access),
)

test.each(writes)('a page of another site that names itself ours is kept from $name', async ({ route }) => {
  const headers = { ...own, ...cookie(beginOperator(operator)), 'sec-fetch-site': 'same-site' }
  expect(await send(route, headers)).toMatchObject({ status: 403, code: 'cross_origin' })
})

const withBodies = writes.filter(
  ({ route }) => route.method === 'POST' && route.access !== 'own-host' && route.file === undefined,
)

test.each(withBodies)('a body that a form of another site could send is refused at $name', async ({ route }) => {
  for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', '']) {
    const headers = { ...own, ...cookie(beginOperator(operator)), 'content-type': type }
    expect(await send(route, headers)).toMatchObject({ status: 415, code: 'unsupported_media_type' })
  }
})

const ofOperators = rows.filter(({ route }) => ['own-admin', 'staff'].includes(route.access))

test.each(ofOperators)('what a proxy has forwarded does not come from this machine, at $name', async ({ route }) => {
  const session = cookie(beginOperator(operator))
  for (const name of ['X-Forwarded-For', 'Forwarded', 'X-Real-IP', 'X-Forwarded-Host', 'Via', 'CF-Connecting-IP']) {
    const answer = await send(route, { ...own, ...session, [name]: '127.0.0.1' })
    expect(answer).toMatchObject({ status: 403, code: 'admin_is_local' })
    expect(answer.text).toContain(`ssh -L ${new URL(server.url).port}:127.0.0.1:`)
  }
})

test('from elsewhere metrics are told to keys of operators alone', async () => {
  const route = routes.find(({ on }) => on === 'GET /metrics')
  if (route === undefined) throw new Error('the route is in the table')
  const elsewhere = { 'x-forwarded-for': '192.0.2.1' }
  expect(await send(route, elsewhere)).toMatchObject({ status: 401, code: 'missing_api_key' })
  expect(await send(route, { ...elsewhere, ...bearer(attacker.key) })).toMatchObject({ code: 'operator_only' })
  expect(await send(route, { ...elsewhere, ...bearer(server.keys.valid) })).toMatchObject({ status: 200 })
  expect(await send(route, { host: 'rebound.example' })).toMatchObject({ status: 421 })
})

test('nothing of another account is to be had by its ids', async () => {
  server.stores.usage.insert({
    ...endedRecord,
    ...{ requestId: 'req_victim', accountId: victim.accountId, keyId: victim.keyId, endpoint: 'chat/completions' },
    ...{ model: 'test/secret', used: nothingConsumed, pricing: { unit: '1M_tokens' }, costNanoUsd: 0 },
    ...{ chargedNanoUsd: 0, isMetered: true, finish: 'stop' },
  })
  const browser = DashboardClient.signedIn(server, attacker.accountId)
  const always = { fromMs: 0, toMs: Number.MAX_SAFE_INTEGER }
  const answers = [
    await browser.perform('keys-revoke', { key: victim.keyId }),
    await browser.perform('keys-revoke', { key: `x' OR '1'='1` }),
    await browser.perform('statement-list', { ...always, account: victim.accountId }),
    await browser.perform('usage-report', { by: ['key'], account: victim.accountId }),
    await browser.perform('accounts-show-own'),
    await browser.perform('keys-list'),
    await browser.perform('keys-rename', { key: victim.keyId, name: 'mine' }),
    await browser.perform('usage-receipt', { request: 'req_victim' }),
    await browser.perform('usage-list', { key: victim.keyId }),
    await browser.perform('usage-list', { before: 'req_victim' }),
    await browser.send(`ledger?month=2027-01&account=${victim.accountId}`),
    await browser.perform('statement-days'),
    await browser.perform('usage-list', { account: victim.accountId }),
    await browser.perform('keys-create', { name: 'mine', account: victim.accountId }),
    await browser.perform('sessions-list', { account: victim.accountId }),
    await browser.perform('sessions-end', { account: victim.accountId }),
    await browser.perform('statement-list', always),
  ]
  expect(answers.map(({ status }) => status)).toEqual([
    ...[404, 404, 400, 404, 200, 200, 404, 404, 200, 400, 200, 200],
    ...[404, 404, 404, 404, 200],
  ])
  expect(answers[8]?.json.result).toEqual([])
  // Somebody else's request gets the same error as one that never existed.
  const unknown = await browser.perform('usage-list', { before: 'req_nobody' })
  expect(answers[9]?.json.error).toEqual(unknown.json.error)
  const statement = answers.at(-1)
  // The attacker's own credit and charges at the playground.
  const balances = statement?.json.result.map((row: { balanceAfterUsd: string }) => row.balanceAfterUsd)
  expect(balances).toEqual(['0.00000096', '0.00000097', '0.00000099', '0.000001'])
  // A 404 repeats the requested id.
  for (const { text } of answers.filter(({ status }) => status !== 404)) {
    for (const id of [victim.accountId, victim.keyId, victim.key]) expect(text).not.toContain(id)
  }
  expect(server.stores.keys.verify(victim.key).kind).toBe('valid')
})

test('what was tried has taken nothing from anybody', () => {
  expect([victim.money(), attacker.money()]).toEqual([
    { balance: 1_000_000_000, held: 0 },
    { balance: 960, held: 0 },
  ])
})
