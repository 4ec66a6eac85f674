/** Accounts that a sign-in by a provider finds, links or makes. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import type { IdentityProvider } from '../../core/identity-provider.ts'
import { perform } from '../../operations/operations.ts'
import { accountOf, accountWith, newPerson, serve, sessionOf, signIn } from '../../testing/provider-sign-ins.ts'
import { providerSettings, type ScriptedProvider, startScriptedProvider } from '../../testing/scripted-provider.ts'
import { TestBrowser } from '../../testing/test-browser.ts'
import { startTestServer } from '../../testing/test-server.ts'

let provider: ScriptedProvider

beforeAll(async () => {
  provider = await startScriptedProvider()
})
afterAll(() => provider[Symbol.dispose]())
beforeEach(() => {
  provider.answers.clear()
  provider.claims = newPerson()
})

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
    await using server = serve(provider, settings)
    provider.claims = { ...provider.claims, email_verified }
    expect(await signIn(provider, server)).toBe(result)
  })

  test('is asked of the userinfo endpoint if the id token lacks it, and must be the same person’s', async () => {
    await using server = serve(provider)
    const { sub, email, ...others } = provider.claims
    provider.claims = { sub }
    provider.answers.set('/userinfo', () => Response.json({ ...others, sub, email }))
    expect(await signIn(provider, server)).toBe('signed in')
    provider.answers.set('/userinfo', () => Response.json({ ...others, sub: 'another', email }))
    expect(await signIn(provider, server)).toBe('401 oidc_refused')
  })

  test('links the account that has it, whose former password and sessions end', async () => {
    await using server = serve(provider)
    const id = accountWith(server, String(provider.claims.email))
    const stranger = server.stores.sessions.begin(id)
    const browser = new TestBrowser()
    expect(await signIn(provider, server, browser)).toBe('signed in')
    expect(accountOf(browser, server)).toMatchObject({ id, confirmedMs: expect.any(Number) })
    expect(server.stores.accounts.passwordHash(id)).toBeUndefined()
    expect(server.stores.sessions.find(stranger)).toBeUndefined()
    expect(server.stores.audit.list({ accountId: id, action: 'identity.link' })).toHaveLength(1)
  })

  test('never links staff, whoever has it at the provider', async () => {
    await using server = serve(provider)
    for (const role of ['operator', 'treasurer', 'auditor'] as const) {
      provider.claims = newPerson()
      const id = accountWith(server, String(provider.claims.email))
      server.stores.accounts.setRole(id, role, 'hand')
      expect(await signIn(provider, server)).toBe('403 oidc_no_account')
      expect(server.stores.identities.list(id)).toEqual([])
    }
  })

  test('never links a second person of the same issuer, who got it from somebody who left', async () => {
    await using server = serve(provider)
    await signIn(provider, server)
    provider.claims = { ...provider.claims, sub: 'the successor' }
    expect(await signIn(provider, server)).toBe('403 oidc_no_account')
  })

  test('changes with the person, unless another account has the new one', async () => {
    await using server = serve(provider)
    const browser = new TestBrowser()
    await signIn(provider, server, browser)
    const { id } = accountOf(browser, server) ?? {}
    provider.claims = { ...provider.claims, email: `new-${provider.claims.sub}@example.org` }
    await signIn(provider, server, browser)
    expect(accountOf(browser, server)).toMatchObject({ id, email: `new-${provider.claims.sub}@example.org` })
    accountWith(server, 'taken@example.org')
    provider.claims = { ...provider.claims, email: 'taken@example.org' }
    await signIn(provider, server, browser)
    expect(accountOf(browser, server)).toMatchObject({ id, email: `new-${provider.claims.sub}@example.org` })
    provider.claims = {
      ...provider.claims,
      email: `unproven-${provider.claims.sub}@example.org`,
      email_verified: false,
    }
    await signIn(provider, server, browser)
    expect(accountOf(browser, server)).toMatchObject({ id, email: `new-${provider.claims.sub}@example.org` })
  })
})

test('nobody gets an account where create_accounts is off, and who has one is linked', async () => {
  await using server = serve(provider, { createAccounts: false })
  expect(await signIn(provider, server)).toBe('403 oidc_no_account')
  accountWith(server, String(provider.claims.email))
  expect(await signIn(provider, server)).toBe('signed in')
})

test('an operator unlinks an identity, after which its person is found by the address again', async () => {
  await using server = serve(provider)
  const browser = new TestBrowser()
  await signIn(provider, server, browser)
  const id = accountOf(browser, server)?.id ?? ''
  const caller = { kind: 'operator', role: 'operator', actor: 'cli:root', baseUrl: server.url } as const
  const ask = (name: 'identities-list' | 'identities-unlink', input: object) =>
    perform(server.services, caller, { name, input })
  expect(await ask('identities-list', { account: id })).toMatchObject([{ subject: provider.claims.sub }])
  expect(await ask('identities-unlink', { account: id, provider: 'company' })).toEqual({ account: id, ended: 1 })
  expect(sessionOf(browser, server)).toBeUndefined()
  provider.claims = { ...provider.claims, sub: 'the successor' }
  expect(await signIn(provider, server, browser)).toBe('signed in')
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
  await signIn(provider, server, first)
  second.claims = { ...provider.claims, sub: 'somebody-there' }
  const location = (await other.open(`${server.url}/oidc/start/second`)).headers.get('location') ?? ''
  expect((await other.open(second.returnFrom(location))).status).toBe(303)
  expect(accountOf(other, server)?.id).toBe(accountOf(first, server)?.id ?? '')
})

test('an account that was erased is made anew for its person', async () => {
  await using server = serve(provider, {}, { rules: { starterCreditNanoUsd: 0 } })
  const browser = new TestBrowser()
  await signIn(provider, server, browser)
  const { id = '' } = accountOf(browser, server) ?? {}
  const caller = { kind: 'operator', role: 'operator', actor: 'cli:root', baseUrl: server.url } as const
  await perform(server.services, caller, { name: 'accounts-erase', input: { account: id } })
  expect(sessionOf(browser, server)).toBeUndefined()
  expect(await signIn(provider, server, browser)).toBe('signed in')
  expect(accountOf(browser, server)?.id).not.toBe(id)
})

test('who is disabled here is refused at the next request, and does not sign in again', async () => {
  await using server = serve(provider)
  const browser = new TestBrowser()
  await signIn(provider, server, browser)
  const { id = '' } = accountOf(browser, server) ?? {}
  server.stores.accounts.setDisabled(id, true)
  expect(sessionOf(browser, server)).toBeUndefined()
  expect(await signIn(provider, server, browser)).toBe('401 account_disabled')
  expect(server.stores.accounts.list({ search: String(provider.claims.email) })).toHaveLength(1)
})

describe('an account that is signed in', () => {
  test('is linked when one of our pages asks, even with another address, also an operator’s', async () => {
    await using server = serve(provider)
    const id = server.accountId
    const browser = new TestBrowser()
    browser.cookies.set('inferd_session', server.stores.sessions.begin(id, { hasRoleRights: true }))
    expect(await signIn(provider, server, browser, '?link')).toBe('signed in')
    expect(sessionOf(browser, server)).toMatchObject({ accountId: id, role: 'operator', provider: 'company' })
    const later = new TestBrowser()
    await signIn(provider, server, later)
    expect(sessionOf(later, server)).toMatchObject({ accountId: id, role: 'operator' })
  })

  test('is not linked from another site, by an operator’s session without rights, or when nobody is signed in', async () => {
    await using server = serve(provider)
    const browser = new TestBrowser()
    expect(await signIn(provider, server, browser, '?link')).toBe('401 not_signed_in')
    browser.cookies.set('inferd_session', server.stores.sessions.begin(server.accountId))
    expect(await signIn(provider, server, browser, '?link')).toBe('401 not_signed_in')
    const response = await browser.open(`${server.url}/oidc/start/company?link`, { 'sec-fetch-site': 'cross-site' })
    expect(response.status).toBe(403)
    expect(server.stores.identities.list(server.accountId)).toEqual([])
  })

  test('does not get an identity that signs in another account', async () => {
    await using server = serve(provider)
    await signIn(provider, server)
    const browser = new TestBrowser()
    browser.cookies.set('inferd_session', server.stores.sessions.begin(server.accountId, { hasRoleRights: true }))
    expect(await signIn(provider, server, browser, '?link')).toBe('403 oidc_taken')
  })
})
