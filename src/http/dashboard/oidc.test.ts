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

/** Opens an address as a program, and returns status and code of the refusal. */
async function refusalOf(browser: TestBrowser, url: string): Promise<string> {
  const response = await browser.open(url, { accept: 'application/json' })
  const { error } = Object(await response.json())
  return `${response.status} ${error.code}`
}

describe('an answer is refused', () => {
  const seconds = () => Math.floor(Date.now() / 1000)
  const hour = 3_600

  test.each<[string, () => Record<string, unknown>]>([
    ['of another issuer', () => ({ iss: 'https://evil.example' })],
    ['for another client', () => ({ aud: 'somebody-else' })],
    ['for two clients that names another party', () => ({ aud: ['inferd', 'other'], azp: 'other' })],
    ['with a wrong nonce', () => ({ nonce: 'wrong' })],
    ['without a nonce', () => ({ nonce: undefined })],
    ['that has expired', () => ({ iat: seconds() - hour, exp: seconds() - 120 })],
    ['that expired within the difference of clocks twice', () => ({ exp: seconds() - 61 })],
    ['that counts only later', () => ({ nbf: seconds() + hour })],
    ['without an expiry', () => ({ exp: undefined })],
    ['without a subject', () => ({ sub: undefined })],
    ['with a subject that is no text', () => ({ sub: 5 })],
    ['with a subject of 10,000 characters', () => ({ sub: 'x'.repeat(10_000) })],
  ])('%s', async (_, claims) => {
    provider.claims = { ...provider.claims, ...claims() }
    const browser = new TestBrowser()
    expect(await refusalOf(browser, provider.returnFrom(await begin(browser)))).toBe('401 oidc_refused')
    expect(accountOf(browser)).toBeUndefined()
  })

  test('whose clock goes wrong by less than a minute, no longer', async () => {
    provider.claims = { ...provider.claims, iat: seconds() + 50, exp: seconds() - 50 }
    expect((await signIn(new TestBrowser())).status).toBe(303)
  })

  test.each<[string, Parameters<ScriptedProvider['sign']>[1]]>([
    ['without a signature (alg none)', { alg: 'none' }],
    ['signed by the client’s secret (HS256)', { alg: 'HS256' }],
    ['signed by a key that the provider does not have', { kid: 'key-0' }],
  ])('%s', async (_, header) => {
    const browser = new TestBrowser()
    const location = await begin(browser)
    const nonce = new URL(location).searchParams.get('nonce')
    const idToken = await provider.sign({ nonce, ...provider.claims }, header)
    provider.answers.set('/token', () => Response.json({ access_token: 'a', token_type: 'Bearer', id_token: idToken }))
    expect(await refusalOf(browser, provider.returnFrom(location))).toBe('401 oidc_refused')
  })

  test('whose claims were changed after the signature', async () => {
    const browser = new TestBrowser()
    const location = await begin(browser)
    const [header, , signature] = (await provider.sign(provider.claims)).split('.')
    const nonce = new URL(location).searchParams.get('nonce')
    const [, payload] = (await provider.sign({ nonce, ...provider.claims, sub: 'the-operator' })).split('.')
    const idToken = [header, payload, signature].join('.')
    provider.answers.set('/token', () => Response.json({ access_token: 'a', token_type: 'Bearer', id_token: idToken }))
    expect(await refusalOf(browser, provider.returnFrom(location))).toBe('401 oidc_refused')
  })

  test('that has no id token', async () => {
    provider.answers.set('/token', () => Response.json({ access_token: 'a', token_type: 'Bearer' }))
    const browser = new TestBrowser()
    expect(await refusalOf(browser, provider.returnFrom(await begin(browser)))).toBe('401 oidc_refused')
  })

  test('a second time: state and code are for one use', async () => {
    const browser = new TestBrowser()
    const url = provider.returnFrom(await begin(browser))
    expect((await browser.open(url)).status).toBe(303)
    expect(await refusalOf(browser, url)).toBe('401 oidc_expired')
  })

  test('in another browser: a stranger’s answer signs nobody in, and its owner still can', async () => {
    const [attacker, victim] = [new TestBrowser(), new TestBrowser()]
    const url = provider.returnFrom(await begin(attacker))
    expect(await refusalOf(victim, url)).toBe('401 oidc_expired')
    await begin(victim)
    expect(await refusalOf(victim, url)).toBe('401 oidc_expired')
    expect(accountOf(victim)).toBeUndefined()
    expect((await attacker.open(url)).status).toBe(303)
  })

  test('with a stolen code: it does not fit the verifier and the state of another sign-in', async () => {
    const [victim, thief] = [new TestBrowser(), new TestBrowser()]
    const stolen = new URL(provider.returnFrom(await begin(victim))).searchParams.get('code') ?? ''
    const url = new URL(provider.returnFrom(await begin(thief)))
    url.searchParams.set('code', stolen)
    expect(await refusalOf(thief, url.href)).toBe('401 oidc_refused')
    expect(accountOf(thief)).toBeUndefined()
  })

  test('from a mixed-up provider: at another’s address, or with another’s iss or none', async () => {
    const browser = new TestBrowser()
    const url = provider.returnFrom(await begin(browser))
    expect(await refusalOf(browser, url.replace('/callback/company', '/callback/other'))).toBe('401 oidc_expired')
    expect(await refusalOf(browser, provider.returnFrom(await begin(browser), { iss: 'https://evil.example' }))).toBe(
      '401 oidc_refused',
    )
    const without = new URL(provider.returnFrom(await begin(browser)))
    without.searchParams.delete('iss')
    expect(await refusalOf(browser, without.href)).toBe('401 oidc_refused')
    expect((await browser.open(url)).status).toBe(303)
  })

  test.each([
    '?',
    '?state=',
    '?state=x&code=y',
    '?error=access_denied',
    '?state=a&state=b',
    `?state=${'x'.repeat(9_000)}`,
  ])('of nobody (%s)', async (query) => {
    const browser = new TestBrowser()
    await begin(browser)
    expect(await refusalOf(browser, `${server.url}/oidc/callback/company${query}`)).toBe('401 oidc_expired')
  })

  test('by the provider itself, whose text is shown nowhere', async () => {
    const browser = new TestBrowser()
    const answer = { error: 'access_denied', error_description: '<script>alert(1)</script>' }
    const response = await browser.open(provider.returnFrom(await begin(browser), answer))
    const text = await response.text()
    expect(response.status).toBe(401)
    expect(text).toContain('The sign-in by Company failed (access_denied)')
    expect(text).not.toContain('script')
    const strange = { error: '<img src=x>' }
    const page = await browser.open(provider.returnFrom(await begin(browser), strange))
    expect(await page.text()).toContain('(an unknown error)')
  })

  test('after ten minutes', async () => {
    const clock = { ms: 0 }
    await using other = serve({}, { monotonicMs: () => clock.ms })
    const browser = new TestBrowser()
    const [first, second] = [await begin(browser, { at: other }), await begin(browser, { at: other })]
    clock.ms += 599_999
    expect((await browser.open(provider.returnFrom(first))).status).toBe(303)
    clock.ms += 1
    expect(await refusalOf(browser, provider.returnFrom(second))).toBe('401 oidc_expired')
  })
})

test('two tabs of a browser sign in at once, as the same new person', async () => {
  const browser = new TestBrowser()
  const [first, second] = [await begin(browser), await begin(browser)]
  const answers = await Promise.all([first, second].map((each) => browser.open(provider.returnFrom(each))))
  expect(answers.map(({ status }) => status)).toEqual([303, 303])
  expect(server.stores.accounts.list({ search: String(provider.claims.email) })).toHaveLength(1)
})

test('a sign-in begins a new session, whatever cookie the browser had, and ends its former one', async () => {
  const browser = new TestBrowser()
  browser.cookies.set('inferd_session', 'x'.repeat(43))
  await signIn(browser)
  const first = browser.cookies.get('inferd_session') ?? ''
  expect(first).not.toBe('x'.repeat(43))
  provider.claims = { ...provider.claims, sub: `${provider.claims.sub}-2`, email: `2${provider.claims.email}` }
  await signIn(browser)
  expect(browser.cookies.get('inferd_session')).not.toBe(first)
  expect(server.stores.sessions.find(first)).toBeUndefined()
})

test('claims are stored as names without tricks and never as HTML, and huge ones are left out', async () => {
  const browser = new TestBrowser()
  provider.claims = {
    ...provider.claims,
    ...{ name: '<b>Ada</b>\r\nset-cookie: a=b\u202e', picture: 'x'.repeat(100_000), groups: ['x'.repeat(100_000)] },
  }
  await signIn(browser)
  expect(server.stores.accounts.find(accountOf(browser) ?? '')?.name).not.toMatch(/[\r\n\u202e]/)
  expect(server.stores.identities.list(accountOf(browser) ?? '')[0]?.groups).toEqual([])
})

test('sign-ins that nobody finishes are forgotten, the oldest of a network first', async () => {
  const browser = new TestBrowser()
  const first = await begin(browser)
  let last = first
  for (let count = 0; count < 100; count++) last = await begin(browser)
  expect(await refusalOf(browser, provider.returnFrom(first))).toBe('401 oidc_expired')
  expect((await browser.open(provider.returnFrom(last))).status).toBe(303)
})

describe('a provider', () => {
  test('that is asked by many is described once, and its keys are fetched for each answer', async () => {
    await using other = serve({})
    const browsers = Array.from({ length: 10 }, () => new TestBrowser())
    const locations = await Promise.all(browsers.map((browser) => begin(browser, { at: other })))
    expect(provider.asked).toEqual(['/.well-known/openid-configuration'])
    await provider.rotate()
    const statuses = await Promise.all(
      browsers.map(async (browser, index) => (await browser.open(provider.returnFrom(locations[index] ?? ''))).status),
    )
    expect(new Set(statuses)).toEqual(new Set([303]))
  })

  test('is not asked before a sign-in', async () => {
    await using other = serve({})
    await fetch(`${other.url}/dashboard/api/status`)
    expect(provider.asked).toEqual([])
  })

  test.each<[string, () => Response]>([
    ['answers with an error', () => new Response('no', { status: 500 })],
    ['leads elsewhere', () => Response.redirect('http://127.0.0.1:1/')],
    ['answers with a page', () => new Response('<html>', { headers: { 'content-type': 'text/html' } })],
    ['calls itself otherwise', () => Response.json({ issuer: 'https://evil.example' })],
    ['names no endpoints', () => Response.json({ issuer: provider.issuer })],
    ['answers too much', () => Response.json({ issuer: provider.issuer, x: 'x'.repeat(2 * 1024 * 1024) })],
  ])('that %s is unavailable', async (_, answer) => {
    await using other = serve({})
    provider.answers.set('/.well-known/openid-configuration', answer)
    expect(await refusalOf(new TestBrowser(), `${other.url}/oidc/start/company`)).toBe('503 oidc_unavailable')
    provider.answers.clear()
    expect((await signIn(new TestBrowser(), other)).status).toBe(303)
  })

  test('that hangs holds nobody else', async () => {
    await using other = serve({})
    const asked = Promise.withResolvers<void>()
    const held = Promise.withResolvers<Response>()
    provider.answers.set('/.well-known/openid-configuration', () => {
      asked.resolve()
      return held.promise
    })
    const waiting = new TestBrowser().open(`${other.url}/oidc/start/company`)
    await asked.promise
    expect((await fetch(`${other.url}/health`)).status).toBe(200)
    held.resolve(new Response(null, { status: 500 }))
    expect((await waiting).status).toBe(503)
  })

  test('that no setting names is not found', async () => {
    for (const path of ['start/none', 'callback/none', 'start/', 'start/constructor'])
      expect(await refusalOf(new TestBrowser(), `${server.url}/oidc/${path}`)).toBe('404 not_found')
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
