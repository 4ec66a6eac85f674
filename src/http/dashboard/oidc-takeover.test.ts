/** Ways to another person's account, or to rights that a provider no longer gives. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test'
import type { IdentityProvider } from '../../core/identity-provider.ts'
import { accountWith, resultOf, sessionOf } from '../../testing/provider-sign-ins.ts'
import { providerSettings, type ScriptedProvider, startScriptedProvider } from '../../testing/scripted-provider.ts'
import { TestBrowser } from '../../testing/test-browser.ts'
import { startTestServer, type TestServer } from '../../testing/test-server.ts'

let company: ScriptedProvider
let guests: ScriptedProvider

beforeAll(async () => {
  company = await startScriptedProvider()
  guests = await startScriptedProvider()
})
afterAll(() => {
  company[Symbol.dispose]()
  guests[Symbol.dispose]()
})
beforeEach(() => {
  for (const provider of [company, guests]) provider.answers.clear()
})

function serve(settings: Partial<IdentityProvider> = {}): TestServer {
  const providers = [
    providerSettings({ issuer: company.issuer, ...settings }),
    providerSettings({ issuer: guests.issuer, name: 'guests' }),
  ]
  return startTestServer({ providers: new Map(providers.map((each) => [each.name, each])) })
}

/** Signs in by a provider as the person with these claims, and returns status and code of the answer. */
async function signIn(
  server: TestServer,
  claims: Record<string, unknown>,
  { by = company, browser = new TestBrowser(), isLink = false } = {},
): Promise<string> {
  by.claims = { email_verified: true, ...claims }
  const name = by === company ? 'company' : 'guests'
  const headers = { accept: 'application/json', 'sec-fetch-site': 'same-origin' }
  const started = await browser.open(`${server.url}/oidc/start/${name}${isLink ? '?link' : ''}`, headers)
  const response = await browser.open(by.returnFrom(started.headers.get('location') ?? ''), headers)
  return resultOf(response)
}

test.each([
  ['with a plus sign', 'ada+x@example.org', '403 oidc_no_account'],
  ['in wide letters', '\uff41da@example.org', '403 oidc_no_account'],
  ['with the sign of the kelvin', 'ada\u212a@example.org', '403 oidc_no_account'],
  ['in capitals', 'ADAK@EXAMPLE.ORG', 'signed in'],
])(
  'an address %s, which is the account’s in its compared form, finds it only if every mail server does',
  async (_, email, result) => {
    await using server = serve()
    accountWith(
      server,
      email.startsWith('ada\u212a') || email.startsWith('ADAK') ? 'adak@example.org' : 'ada@example.org',
    )
    expect(await signIn(server, { sub: 'other', email })).toBe(result)
  },
)

test('who signed up with another’s address and linked an own identity loses both when its owner comes', async () => {
  await using server = serve()
  const id = accountWith(server, 'victim@example.org')
  const attacker = new TestBrowser()
  attacker.cookies.set('inferd_session', server.stores.sessions.begin(id))
  const own = { sub: 'attacker', email: 'victim@example.org', email_verified: false }
  expect(await signIn(server, own, { browser: attacker, isLink: true })).toBe('signed in')
  const owner = new TestBrowser()
  expect(await signIn(server, { sub: 'owner', email: 'victim@example.org' }, { by: guests, browser: owner })).toBe(
    'signed in',
  )
  expect(sessionOf(owner, server)?.accountId).toBe(id)
  expect(sessionOf(attacker, server)).toBeUndefined()
  expect(server.stores.identities.list(id).map(({ subject }) => subject)).toEqual(['owner'])
  expect(server.stores.accounts.passwordHash(id)).toBeUndefined()
})

test('a colleague who signed up with another’s address loses it when its owner comes from the same provider', async () => {
  await using server = serve()
  const id = accountWith(server, 'victim@example.org')
  const colleague = new TestBrowser()
  colleague.cookies.set('inferd_session', server.stores.sessions.begin(id))
  await signIn(server, { sub: 'colleague', email: 'colleague@example.org' }, { browser: colleague, isLink: true })
  expect(sessionOf(colleague, server)?.accountId).toBe(id)
  const owner = new TestBrowser()
  expect(await signIn(server, { sub: 'owner', email: 'victim@example.org' }, { browser: owner })).toBe('signed in')
  expect(sessionOf(owner, server)?.accountId).toBe(id)
  expect(sessionOf(colleague, server)).toBeUndefined()
  expect(server.stores.accounts.passwordHash(id)).toBeUndefined()
  expect(server.stores.identities.list(id).map(({ subject }) => subject)).toEqual(['owner'])
})

test.each([
  ['proved by a link', { email: 'ada@example.org' }, true],
  ['never proved, of a person whose address the provider does not prove', { email: undefined }, false],
  ['proved by its person at the provider', { email: 'victim@example.org' }, false],
] as const)('an address given to a successor takes no account over: %s', async (_, { email }, isConfirmed) => {
  await using server = serve()
  const id = accountWith(server, 'victim@example.org')
  if (isConfirmed) server.stores.accounts.confirm(id, 0)
  const predecessor = new TestBrowser()
  predecessor.cookies.set('inferd_session', server.stores.sessions.begin(id))
  await signIn(server, { sub: 'predecessor', email }, { browser: predecessor, isLink: true })
  expect(await signIn(server, { sub: 'successor', email: 'victim@example.org' })).toBe('403 oidc_no_account')
  expect(sessionOf(predecessor, server)?.accountId).toBe(id)
})

test('the proof of the address in one answer does not count for the address in another', async () => {
  await using server = serve()
  accountWith(server, 'victim@example.org')
  const more = { sub: 'x', email: 'attacker@example.org', email_verified: true }
  company.answers.set('/userinfo', () => Response.json(more))
  const browser = new TestBrowser()
  const claims = { sub: 'x', email: 'victim@example.org', email_verified: undefined }
  expect(await signIn(server, claims, { browser })).toBe('signed in')
  expect(server.stores.accounts.find(sessionOf(browser, server)?.accountId ?? '')?.email).toBe('attacker@example.org')
})

test('a role by groups needs a sign-in at their provider, and ends with a refusal there', async () => {
  await using server = serve({ allowedGroups: ['staff', 'admins'], roles: new Map([['operator', ['admins']]]) })
  const [browser, other] = [new TestBrowser(), new TestBrowser()]
  const eve = { sub: 'eve', email: 'eve@example.org' }
  await signIn(server, { ...eve, groups: ['admins'] }, { browser })
  expect(sessionOf(browser, server)?.role).toBe('operator')
  const id = sessionOf(browser, server)?.accountId ?? ''
  await signIn(server, { sub: 'eve-at-home' }, { by: guests, browser, isLink: true })
  expect(sessionOf(browser, server)).toMatchObject({ accountId: id, role: 'member' })
  await signIn(server, { ...eve, groups: ['admins'] }, { browser })
  expect(sessionOf(browser, server)?.role).toBe('operator')
  const local = server.stores.sessions.begin(id, { hasRoleRights: true })
  expect(await signIn(server, { ...eve, groups: [] })).toBe('403 oidc_no_group')
  expect(server.stores.accounts.roleOf(id)).toBe('member')
  expect(server.stores.sessions.find(local)).toBeUndefined()
  await signIn(server, { sub: 'eve-at-home' }, { by: guests, browser: other })
  expect(sessionOf(other, server)?.role).toBe('member')
})

test.each([
  ['jwks_uri', 'http://192.0.2.1/keys'],
  ['jwks_uri', 'file:///etc/passwd'],
  ['token_endpoint', 'http://169.254.169.254/token'],
  ['userinfo_endpoint', 'http://192.0.2.1/'],
  ['authorization_endpoint', 'javascript:alert(1)'],
  ['end_session_endpoint', 'javascript:alert(1)'],
])('a provider whose %s is %s is unavailable', async (name, address) => {
  await using server = serve()
  const { issuer } = company
  const endpoints = { authorization_endpoint: `${issuer}/authorize`, token_endpoint: `${issuer}/token` }
  const description = { issuer, ...endpoints, jwks_uri: `${issuer}/jwks`, [name]: address }
  company.answers.set('/.well-known/openid-configuration', () => Response.json(description))
  const response = await fetch(`${server.url}/oidc/start/company`, { headers: { accept: 'application/json' } })
  expect([response.status, Object(await response.json()).error.code]).toEqual([503, 'oidc_unavailable'])
})
