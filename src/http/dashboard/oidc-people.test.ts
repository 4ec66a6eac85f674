import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import type { IdentityProvider } from '../../core/identity-provider.ts'
import { perform } from '../../operations/operations.ts'
import { DashboardClient } from '../../testing/dashboard-client.ts'
import { providerSettings, type ScriptedProvider, startScriptedProvider } from '../../testing/scripted-provider.ts'
import { TestBrowser } from '../../testing/test-browser.ts'
import { startTestServer, type TestServer } from '../../testing/test-server.ts'

let provider: ScriptedProvider
let people = 0

beforeAll(async () => {
  provider = await startScriptedProvider()
})
afterAll(() => provider[Symbol.dispose]())
beforeEach(() => {
  provider.answers.clear()
  provider.claims = newPerson()
})

function newPerson() {
  const sub = `person-${++people}`
  return { sub, email: `${sub}@example.org`, email_verified: true as unknown, name: 'Ada', sid: `session-${sub}` }
}

function serve(
  settings: Partial<IdentityProvider> = {},
  options: Parameters<typeof startTestServer>[0] = {},
): TestServer {
  const company = providerSettings({ issuer: provider.issuer, ...settings })
  return startTestServer({ providers: new Map([[company.name, company]]), ...options })
}

/** Signs in, and returns status and code of the answer. */
async function signIn(server: TestServer, browser = new TestBrowser(), query = ''): Promise<string> {
  const headers = { accept: 'application/json', ...(query !== '' && { 'sec-fetch-site': 'same-origin' }) }
  const started = await browser.open(`${server.url}/oidc/start/company${query}`, headers)
  const location = started.headers.get('location')
  const response = location === null ? started : await browser.open(provider.returnFrom(location), headers)
  if (response.status === 303) return 'signed in'
  return `${response.status} ${Object(await response.json()).error.code}`
}

function sessionOf(browser: TestBrowser, { stores }: TestServer) {
  return stores.sessions.find(browser.cookies.get('inferd_session') ?? '')
}

function accountOf(browser: TestBrowser, server: TestServer) {
  return server.stores.accounts.find(sessionOf(browser, server)?.accountId ?? '')
}

/** Makes an account with this address. */
function accountWith({ stores }: TestServer, address: string): string {
  const email = { address, key: address, domain: 'example.org' }
  return stores.accounts.create({ email, name: 'local', passwordHash: 'a hash' }) ?? ''
}

describe('the address of a provider', () => {
  test.each<[string, unknown, Partial<IdentityProvider>, string]>([
    ['true', true, {}, 'signed in'],
    ['the text true', 'true', {}, 'signed in'],
    ['false', false, {}, '403 oidc_email_unverified'],
    ['the text false', 'false', {}, '403 oidc_email_unverified'],
    ['1', 1, {}, '403 oidc_email_unverified'],
    ['missing', undefined, {}, '403 oidc_email_unverified'],
    ['missing at an issuer that is trusted', undefined, { trustEmail: 'issuer' }, 'signed in'],
    ['false at an issuer that is trusted', false, { trustEmail: 'issuer' }, '403 oidc_email_unverified'],
  ])('with email_verified %s', async (_, email_verified, settings, result) => {
    await using server = serve(settings)
    provider.claims = { ...provider.claims, email_verified }
    expect(await signIn(server)).toBe(result)
  })

  test('is asked of the userinfo endpoint if the id token lacks it, and must be the same person’s', async () => {
    await using server = serve()
    const { sub, email, ...others } = provider.claims
    provider.claims = { sub }
    provider.answers.set('/userinfo', () => Response.json({ ...others, sub, email }))
    expect(await signIn(server)).toBe('signed in')
    provider.answers.set('/userinfo', () => Response.json({ ...others, sub: 'another', email }))
    expect(await signIn(server)).toBe('401 oidc_refused')
  })

  test('links the account that has it, whose former password and sessions end', async () => {
    await using server = serve()
    const id = accountWith(server, String(provider.claims.email))
    const stranger = server.stores.sessions.begin(id)
    const browser = new TestBrowser()
    expect(await signIn(server, browser)).toBe('signed in')
    expect(accountOf(browser, server)).toMatchObject({ id, confirmedMs: expect.any(Number) })
    expect(server.stores.accounts.passwordHash(id)).toBeUndefined()
    expect(server.stores.sessions.find(stranger)).toBeUndefined()
    expect(server.stores.audit.list({ accountId: id, action: 'identity.link' })).toHaveLength(1)
  })

  test('never links staff, whoever has it at the provider', async () => {
    await using server = serve()
    for (const role of ['operator', 'treasurer', 'auditor'] as const) {
      provider.claims = newPerson()
      const id = accountWith(server, String(provider.claims.email))
      server.stores.accounts.setRole(id, role, 'hand')
      expect(await signIn(server)).toBe('403 oidc_no_account')
      expect(server.stores.identities.list(id)).toEqual([])
    }
  })

  test('never links a second person of the same issuer, who got it from somebody who left', async () => {
    await using server = serve()
    await signIn(server)
    provider.claims = { ...provider.claims, sub: 'the successor' }
    expect(await signIn(server)).toBe('403 oidc_no_account')
  })

  test('changes with the person, unless another account has the new one', async () => {
    await using server = serve()
    const browser = new TestBrowser()
    await signIn(server, browser)
    const { id } = accountOf(browser, server) ?? {}
    provider.claims = { ...provider.claims, email: `new-${people}@example.org` }
    await signIn(server, browser)
    expect(accountOf(browser, server)).toMatchObject({ id, email: `new-${people}@example.org` })
    accountWith(server, 'taken@example.org')
    provider.claims = { ...provider.claims, email: 'taken@example.org' }
    await signIn(server, browser)
    expect(accountOf(browser, server)).toMatchObject({ id, email: `new-${people}@example.org` })
    provider.claims = { ...provider.claims, email: `unproven-${people}@example.org`, email_verified: false }
    await signIn(server, browser)
    expect(accountOf(browser, server)).toMatchObject({ id, email: `new-${people}@example.org` })
  })
})

test('nobody gets an account where create_accounts is off, and who has one is linked', async () => {
  await using server = serve({ createAccounts: false })
  expect(await signIn(server)).toBe('403 oidc_no_account')
  accountWith(server, String(provider.claims.email))
  expect(await signIn(server)).toBe('signed in')
})

test('an operator unlinks an identity, after which its person is found by the address again', async () => {
  await using server = serve()
  const browser = new TestBrowser()
  await signIn(server, browser)
  const id = accountOf(browser, server)?.id ?? ''
  const caller = { kind: 'operator', role: 'operator', actor: 'cli:root', baseUrl: server.url } as const
  const ask = (name: 'identities-list' | 'identities-unlink', input: object) =>
    perform(server.services, caller, { name, input })
  expect(await ask('identities-list', { account: id })).toMatchObject([{ subject: provider.claims.sub }])
  expect(await ask('identities-unlink', { account: id, provider: 'company' })).toEqual({ account: id, ended: 1 })
  expect(sessionOf(browser, server)).toBeUndefined()
  provider.claims = { ...provider.claims, sub: 'the successor' }
  expect(await signIn(server, browser)).toBe('signed in')
  expect(accountOf(browser, server)?.id).toBe(id)
})

test('a person of two providers has one account', async () => {
  using second = await startScriptedProvider()
  const providers = [
    providerSettings({ issuer: provider.issuer }),
    providerSettings({ issuer: second.issuer, name: 'second' }),
  ]
  await using server = startTestServer({ providers: new Map(providers.map((each) => [each.name, each])) })
  const [first, other] = [new TestBrowser(), new TestBrowser()]
  await signIn(server, first)
  second.claims = { ...provider.claims, sub: 'somebody-there' }
  const location = (await other.open(`${server.url}/oidc/start/second`)).headers.get('location') ?? ''
  expect((await other.open(second.returnFrom(location))).status).toBe(303)
  expect(accountOf(other, server)?.id).toBe(accountOf(first, server)?.id ?? '')
})

test('an account that was erased is made anew for its person', async () => {
  await using server = serve({}, { rules: { starterCreditNanoUsd: 0 } })
  const browser = new TestBrowser()
  await signIn(server, browser)
  const { id = '' } = accountOf(browser, server) ?? {}
  const caller = { kind: 'operator', role: 'operator', actor: 'cli:root', baseUrl: server.url } as const
  await perform(server.services, caller, { name: 'accounts-erase', input: { account: id } })
  expect(sessionOf(browser, server)).toBeUndefined()
  expect(await signIn(server, browser)).toBe('signed in')
  expect(accountOf(browser, server)?.id).not.toBe(id)
})

test('who is disabled here is refused at the next request, and does not sign in again', async () => {
  await using server = serve()
  const browser = new TestBrowser()
  await signIn(server, browser)
  const { id = '' } = accountOf(browser, server) ?? {}
  server.stores.accounts.setDisabled(id, true)
  expect(sessionOf(browser, server)).toBeUndefined()
  expect(await signIn(server, browser)).toBe('401 account_disabled')
  expect(server.stores.accounts.list({ search: String(provider.claims.email) })).toHaveLength(1)
})

describe('an account that is signed in', () => {
  test('is linked when one of our pages asks, even with another address, also an operator’s', async () => {
    await using server = serve()
    const id = server.accountId
    const browser = new TestBrowser()
    browser.cookies.set('inferd_session', server.stores.sessions.begin(id, { isStaff: true }))
    expect(await signIn(server, browser, '?link')).toBe('signed in')
    expect(sessionOf(browser, server)).toMatchObject({ accountId: id, role: 'operator', provider: 'company' })
    const later = new TestBrowser()
    await signIn(server, later)
    expect(sessionOf(later, server)).toMatchObject({ accountId: id, role: 'operator' })
  })

  test('is not linked from another site, by an operator’s session without rights, or when nobody is signed in', async () => {
    await using server = serve()
    const browser = new TestBrowser()
    expect(await signIn(server, browser, '?link')).toBe('401 not_signed_in')
    browser.cookies.set('inferd_session', server.stores.sessions.begin(server.accountId))
    expect(await signIn(server, browser, '?link')).toBe('401 not_signed_in')
    const response = await browser.open(`${server.url}/oidc/start/company?link`, { 'sec-fetch-site': 'cross-site' })
    expect(response.status).toBe(403)
    expect(server.stores.identities.list(server.accountId)).toEqual([])
  })

  test('does not get an identity that signs in another account', async () => {
    await using server = serve()
    await signIn(server)
    const browser = new TestBrowser()
    browser.cookies.set('inferd_session', server.stores.sessions.begin(server.accountId, { isStaff: true }))
    expect(await signIn(server, browser, '?link')).toBe('403 oidc_taken')
  })
})

describe('groups', () => {
  const settings: Partial<IdentityProvider> = {
    allowedGroups: ['staff', 'admins'],
    roles: new Map([
      ['operator', ['admins']],
      ['auditor', ['revision']],
    ]),
  }

  test('give the highest role, and take it away again', async () => {
    await using server = serve(settings)
    const browser = new TestBrowser()
    const rolesOf = async (groups: unknown) => {
      provider.claims = { ...provider.claims, groups }
      await signIn(server, browser)
      return sessionOf(browser, server)?.role
    }
    expect(await rolesOf(['staff'])).toBe('member')
    expect(await rolesOf(['staff', 'revision'])).toBe('auditor')
    expect(await rolesOf(['revision', 'admins'])).toBe('operator')
    const former = browser.cookies.get('inferd_session') ?? ''
    expect(await rolesOf('staff')).toBe('member')
    expect(server.stores.sessions.find(former)).toBeUndefined()
  })

  test('leave a role that was given by hand', async () => {
    await using server = serve(settings)
    const browser = new TestBrowser()
    provider.claims = { ...provider.claims, groups: ['staff'] }
    await signIn(server, browser)
    server.stores.accounts.setRole(accountOf(browser, server)?.id ?? '', 'treasurer', 'hand')
    for (const groups of [['staff'], ['admins']]) {
      provider.claims = { ...provider.claims, groups }
      await signIn(server, browser)
      expect(sessionOf(browser, server)?.role).toBe('treasurer')
    }
  })

  test.each<[string, string, Record<string, unknown>, string]>([
    [
      'Keycloak’s realm roles',
      'realm_access.roles',
      { realm_access: { roles: ['offline_access', 'staff'] } },
      'signed in',
    ],
    [
      'Keycloak’s roles of a client',
      'resource_access.inferd.roles',
      { resource_access: { inferd: { roles: ['staff'] } } },
      'signed in',
    ],
    ['Keycloak’s groups as paths', 'groups', { groups: ['/staff'] }, '403 oidc_no_group'],
    ['Entra’s groups', 'groups', { groups: ['staff'], ver: '2.0', tid: 'x', oid: 'y' }, 'signed in'],
    [
      'Entra’s many groups',
      'groups',
      { _claim_names: { groups: 'src1' }, _claim_sources: { src1: { endpoint: 'https://graph.example' } } },
      '403 oidc_groups_missing',
    ],
    ['Entra’s many groups of the implicit flow', 'groups', { hasgroups: true }, '403 oidc_groups_missing'],
    ['Entra’s app roles', 'roles', { roles: ['staff'] }, 'signed in'],
    [
      'a claim named by an address',
      'https://box.example/groups',
      { 'https://box.example/groups': ['staff'] },
      'signed in',
    ],
    ['one group as text', 'groups', { groups: 'staff' }, 'signed in'],
    ['none', 'groups', {}, '403 oidc_no_group'],
    ['objects', 'groups', { groups: [{ name: 'staff' }, null, 5] }, '403 oidc_no_group'],
    ['a path into nothing', 'a.b.c', { a: 'staff' }, '403 oidc_no_group'],
    ['a path to what every object has', 'constructor.name', {}, '403 oidc_no_group'],
  ])('of %s', async (_, groupsClaim, claims, result) => {
    await using server = serve({ allowedGroups: ['staff'], groupsClaim })
    provider.claims = { ...provider.claims, ...claims }
    expect(await signIn(server)).toBe(result)
  })

  test('too many to be told never end what a person has', async () => {
    await using server = serve(settings)
    const browser = new TestBrowser()
    provider.claims = { ...provider.claims, groups: ['admins'] }
    await signIn(server, browser)
    const { groups: _, ...others } = provider.claims
    provider.claims = { ...others, _claim_names: { groups: 'src1' } }
    expect(await signIn(server)).toBe('403 oidc_groups_missing')
    expect(sessionOf(browser, server)?.role).toBe('operator')
  })

  test('that admit a person no longer end their sessions, pause their keys, and report it', async () => {
    await using server = serve(settings)
    const events: object[] = []
    server.stores.events.onEvent((event) => events.push(event))
    const browser = new TestBrowser()
    provider.claims = { ...provider.claims, groups: ['staff'] }
    await signIn(server, browser)
    const { id = '' } = accountOf(browser, server) ?? {}
    const { key } = server.stores.keys.create({ accountId: id, name: 'x' })
    const call = async () => {
      const response = await fetch(`${server.baseUrl}/account`, { headers: { authorization: `Bearer ${key}` } })
      return `${response.status} ${Object(await response.json()).error?.code}`
    }
    expect(await call()).toBe('200 undefined')
    provider.claims = { ...provider.claims, groups: [] }
    expect(await signIn(server)).toBe('403 oidc_no_group')
    expect(sessionOf(browser, server)).toBeUndefined()
    expect(await call()).toBe('401 identity_paused')
    const link = { token: server.stores.mailTokens.mint(id, 'sign-in') }
    const locally = await new DashboardClient(server).send('session', { body: link })
    expect(locally).toMatchObject({ status: 401, json: { error: { code: 'identity_paused' } } })
    expect(events).toEqual([{ type: 'identity.refused', provider: 'company', code: 'oidc_no_group' }])
    provider.claims = { ...provider.claims, groups: ['staff'] }
    expect(await signIn(server)).toBe('signed in')
    expect(await call()).toBe('200 undefined')
  })

  test('make and end members of teams, without those made by hand', async () => {
    await using server = serve({ teams: new Map([['research', ['ml']]]) })
    const { stores } = server
    const team = await stores.commits.run(() => stores.accounts.createTeam('research', 'cli:root'))
    const browser = new TestBrowser()
    const isMember = async (groups: string[]) => {
      provider.claims = { ...provider.claims, groups }
      await signIn(server, browser)
      return stores.teams.membership(team, accountOf(browser, server)?.id ?? '')?.source
    }
    expect(await isMember(['ml'])).toBe('groups')
    expect(await isMember([])).toBeUndefined()
    const accountId = accountOf(browser, server)?.id ?? ''
    stores.teams.join(team, accountId, { role: 'manager', source: 'hand' })
    expect(await isMember([])).toBe('hand')
    expect(await isMember(['ml'])).toBe('hand')
  })

  test('set the strictest of their limits beside those that an operator set', async () => {
    const limits = new Map([
      ['students', { monthlyNanoUsd: 5, parallel: 4 }],
      ['guests', { monthlyNanoUsd: 7, parallel: 1 }],
    ])
    await using server = serve({ limits })
    const { stores } = server
    const browser = new TestBrowser()
    provider.claims = { ...provider.claims, groups: ['students', 'guests'] }
    await signIn(server, browser)
    const id = accountOf(browser, server)?.id ?? ''
    await stores.commits.run(() => stores.limits.set(id, { requestsPerMinute: 9 }))
    expect(stores.limits.of(id)).toEqual({ monthlyNanoUsd: 5, parallel: 1, requestsPerMinute: 9 })
    provider.claims = { ...provider.claims, groups: [] }
    await signIn(server, browser)
    expect(stores.limits.of(id)).toEqual({ requestsPerMinute: 9 })
  })
})

test('keys pause when their holder stays away for the days of the setting, until the next sign-in', async () => {
  const clock = { nowMs: Date.now() }
  await using server = serve({ pauseKeysDays: 30 }, { clock: () => clock.nowMs })
  const browser = new TestBrowser()
  await signIn(server, browser)
  const id = accountOf(browser, server)?.id ?? ''
  const { key } = server.stores.keys.create({ accountId: id, name: 'x' })
  clock.nowMs += 30 * 86_400_000 - 1
  expect(server.stores.keys.verify(key).kind).toBe('valid')
  clock.nowMs += 1
  expect(server.stores.keys.verify(key).kind).toBe('identity-paused')
  server.stores.identities.admit({})
  expect(server.stores.keys.verify(key).kind).toBe('valid')
  server.stores.identities.admit({ company: 30 })
  expect(await signIn(server)).toBe('signed in')
  expect(server.stores.keys.verify(key).kind).toBe('valid')
})

test('a session lasts as long as the provider’s setting says', async () => {
  const clock = { nowMs: Date.now() }
  await using server = serve({ sessionHours: 2 }, { clock: () => clock.nowMs })
  const browser = new TestBrowser()
  await signIn(server, browser)
  clock.nowMs += 2 * 3_600_000 - 1
  expect(sessionOf(browser, server)).toBeDefined()
  clock.nowMs += 1
  expect(sessionOf(browser, server)).toBeUndefined()
})

test('a silent sign-in that the provider cannot give leads to the sign-in page, and back from there', async () => {
  await using server = serve()
  const browser = new TestBrowser()
  const start = await browser.open(`${server.url}/oidc/start/company?to=/dashboard/keys&silent=1`)
  const location = start.headers.get('location') ?? ''
  expect(new URL(location).searchParams.get('prompt')).toBe('none')
  const answer = await browser.open(provider.returnFrom(location, { error: 'login_required' }))
  expect(answer.headers.get('location')).toBe('/dashboard/sign-in?next=%2Fdashboard%2Fkeys')
})

describe('signing out', () => {
  test('ends our session and leads to the end of the provider’s, without any token of it', async () => {
    await using server = serve()
    const browser = new TestBrowser()
    await signIn(server, browser)
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
    await using server = serve({}, { monotonicMs: () => clock.ms })
    const browser = new TestBrowser()
    await signIn(server, browser)
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
    await using server = serve()
    const [first, second] = [new TestBrowser(), new TestBrowser()]
    await signIn(server, first)
    const token = await provider.sign(claims())
    provider.claims = { ...provider.claims, sid: 'another session' }
    await signIn(server, second)
    expect(await send(server, token)).toBe('200')
    expect([sessionOf(first, server), sessionOf(second, server)?.provider]).toEqual([undefined, 'company'])
    expect(await send(server, await provider.sign(claims({ sid: undefined, sub: provider.claims.sub })))).toBe('200')
    expect(sessionOf(second, server)).toBeUndefined()
  })

  test('is refused unless it is the provider’s, new, for us, and one of sign-outs', async () => {
    await using server = serve()
    const browser = new TestBrowser()
    await signIn(server, browser)
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
    await using server = serve()
    provider.asked.length = 0
    await send(server, await provider.sign(claims({ iss: 'https://evil.example' })))
    expect(provider.asked).toEqual([])
  })
})

describe('local sign-in', () => {
  const password = 'countess-of-l'

  async function answers(localSignIn: 'all' | 'staff' | 'off', headers: Record<string, string> = {}) {
    await using server = serve({}, { rules: { localSignIn } })
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
  await using server = serve()
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
