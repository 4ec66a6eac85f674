import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import type { IdentityProvider } from '../../core/identity-provider.ts'
import { providerSettings, type ScriptedProvider, startScriptedProvider } from '../../testing/scripted-provider.ts'
import { TestBrowser } from '../../testing/test-browser.ts'
import { startTestServer, type TestServer } from '../../testing/test-server.ts'
import { localPath } from './oidc.ts'

let provider: ScriptedProvider
let server: TestServer
let people = 0

beforeAll(async () => {
  provider = await startScriptedProvider()
  server = serve({})
})
afterAll(async () => {
  await server[Symbol.asyncDispose]()
  provider[Symbol.dispose]()
})
beforeEach(() => {
  provider.answers.clear()
  provider.asked.length = 0
  const subject = `person-${++people}`
  provider.claims = { sub: subject, email: `${subject}@example.org`, email_verified: true, name: 'Ada' }
})

function serve(settings: Partial<IdentityProvider>, options: Parameters<typeof startTestServer>[0] = {}): TestServer {
  const company = providerSettings({ issuer: provider.issuer, ...settings })
  const other = providerSettings({ issuer: provider.issuer, name: 'other', label: 'Other' })
  return startTestServer({ providers: new Map([company, other].map((each) => [each.name, each])), ...options })
}

/** Begins a sign-in and returns the provider's address. */
async function begin(browser: TestBrowser, { at = server, name = 'company', query = '' } = {}): Promise<string> {
  const response = await browser.open(`${at.url}/oidc/start/${name}${query}`)
  expect(response.status).toBe(303)
  return response.headers.get('location') ?? ''
}

/** Signs in and returns the answer to the browser's return. */
async function signIn(browser: TestBrowser, at = server): Promise<Response> {
  return browser.open(provider.returnFrom(await begin(browser, { at })))
}

/** Returns the account that a browser's session belongs to. */
function accountOf(browser: TestBrowser, at = server): string | undefined {
  return at.stores.sessions.find(browser.cookies.get('inferd_session') ?? '')?.accountId
}

describe('a sign-in by a provider', () => {
  test('makes a confirmed account, opens the wanted page and begins a session', async () => {
    const browser = new TestBrowser()
    const location = await begin(browser, { query: '?to=/dashboard/keys%3Fa=1' })
    expect(Object.fromEntries(new URL(location).searchParams)).toEqual({
      client_id: 'inferd',
      redirect_uri: `${server.url}/oidc/callback/company`,
      response_type: 'code',
      scope: 'openid email profile',
      state: expect.stringMatching(/^\w{43}$/),
      nonce: expect.stringMatching(/^\w{43}$/),
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: 'S256',
    })
    const response = await browser.open(provider.returnFrom(location))
    expect([response.status, response.headers.get('location')]).toEqual([303, '/dashboard/keys?a=1'])
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect(response.headers.get('referrer-policy')).toBe('no-referrer')
    expect(response.headers.get('set-cookie')).toMatch(/^inferd_session=\w{43}; Path=\/; HttpOnly; SameSite=Lax/)
    const account = server.stores.accounts.find(accountOf(browser) ?? '')
    expect(account).toMatchObject({
      email: provider.claims.email,
      name: 'Ada',
      confirmedMs: expect.any(Number),
      balanceNanoUsd: 1_000_000_000,
      role: 'member',
    })
  })

  test('finds the same account again by issuer and subject, whatever the address', async () => {
    const first = new TestBrowser()
    await signIn(first)
    provider.claims = { ...provider.claims, email: 'somebody@else.example', email_verified: false }
    const second = new TestBrowser()
    await signIn(second)
    expect(accountOf(second)).toBe(accountOf(first) ?? '')
  })
})

test.each([
  ['/dashboard/keys?a=1#b', '/dashboard/keys?a=1#b'],
  ['/admin', '/admin'],
  ['//evil.example', '/dashboard'],
  ['/dashboard/..//evil.example', '/dashboard'],
  ['/dashboard/../..//evil.example', '/dashboard'],
  ['/dashboard/%2e%2e//evil.example', '/dashboard'],
  ['/dashboard\\@evil.example', '/dashboard/@evil.example'],
  ['https://evil.example/dashboard', '/dashboard'],
  ['/dashboard.evil.example', '/dashboard'],
  ['javascript:alert(1)', '/dashboard'],
  ['/dashboard\r\nset-cookie: a=b', '/dashboard'],
  ['/dashboard/\r\nset-cookie: a=b', '/dashboard/set-cookie:%20a=b'],
  ['/oidc/start/company', '/dashboard'],
  ['', '/dashboard'],
  [null, '/dashboard'],
])('after a sign-in %j opens %s', (wanted, opened) => {
  expect(localPath(wanted)).toBe(opened)
})
