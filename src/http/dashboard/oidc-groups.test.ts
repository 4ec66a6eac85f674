/** Roles, teams, limits and admission that groups of a provider give. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import type { IdentityProvider } from '../../core/identity-provider.ts'
import { DashboardClient } from '../../testing/dashboard-client.ts'
import { accountOf, newPerson, serve, sessionOf, signIn } from '../../testing/provider-sign-ins.ts'
import { type ScriptedProvider, startScriptedProvider } from '../../testing/scripted-provider.ts'
import { TestBrowser } from '../../testing/test-browser.ts'

let provider: ScriptedProvider

beforeAll(async () => {
  provider = await startScriptedProvider()
})
afterAll(() => provider[Symbol.dispose]())
beforeEach(() => {
  provider.answers.clear()
  provider.claims = newPerson()
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
    await using server = serve(provider, settings)
    const browser = new TestBrowser()
    const rolesOf = async (groups: unknown) => {
      provider.claims = { ...provider.claims, groups }
      await signIn(provider, server, browser)
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
    await using server = serve(provider, settings)
    const browser = new TestBrowser()
    provider.claims = { ...provider.claims, groups: ['staff'] }
    await signIn(provider, server, browser)
    server.stores.accounts.setRole(accountOf(browser, server)?.id ?? '', 'treasurer', 'hand')
    for (const groups of [['staff'], ['admins']]) {
      provider.claims = { ...provider.claims, groups }
      await signIn(provider, server, browser)
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
    await using server = serve(provider, { allowedGroups: ['staff'], groupsClaim })
    provider.claims = { ...provider.claims, ...claims }
    expect(await signIn(provider, server)).toBe(result)
  })

  test('too many to be told never end what a person has', async () => {
    await using server = serve(provider, settings)
    const browser = new TestBrowser()
    provider.claims = { ...provider.claims, groups: ['admins'] }
    await signIn(provider, server, browser)
    const { groups: _, ...others } = provider.claims
    provider.claims = { ...others, _claim_names: { groups: 'src1' } }
    expect(await signIn(provider, server)).toBe('403 oidc_groups_missing')
    expect(sessionOf(browser, server)?.role).toBe('operator')
  })

  test('that admit a person no longer end their sessions, pause their keys, and report it', async () => {
    await using server = serve(provider, settings)
    const events: object[] = []
    server.stores.events.onEvent((event) => events.push(event))
    const browser = new TestBrowser()
    provider.claims = { ...provider.claims, groups: ['staff'] }
    await signIn(provider, server, browser)
    const { id = '' } = accountOf(browser, server) ?? {}
    const { key } = server.stores.keys.create({ accountId: id, name: 'x' })
    const call = async () => {
      const response = await fetch(`${server.baseUrl}/account`, { headers: { authorization: `Bearer ${key}` } })
      return `${response.status} ${Object(await response.json()).error?.code}`
    }
    expect(await call()).toBe('200 undefined')
    provider.claims = { ...provider.claims, groups: [] }
    expect(await signIn(provider, server)).toBe('403 oidc_no_group')
    expect(sessionOf(browser, server)).toBeUndefined()
    expect(await call()).toBe('401 identity_paused')
    const link = { token: server.stores.mailTokens.mint(id, 'sign-in') }
    const locally = await new DashboardClient(server).send('session', { body: link })
    expect(locally).toMatchObject({ status: 401, json: { error: { code: 'identity_paused' } } })
    expect(events).toEqual([{ type: 'identity.refused', provider: 'company', code: 'oidc_no_group' }])
    provider.claims = { ...provider.claims, groups: ['staff'] }
    expect(await signIn(provider, server)).toBe('signed in')
    expect(await call()).toBe('200 undefined')
  })

  test('make and end members of teams, without those made by hand', async () => {
    await using server = serve(provider, { teams: new Map([['research', ['ml']]]) })
    const { stores } = server
    const team = await stores.commits.run(() => stores.accounts.createTeam('research', 'cli:root'))
    const browser = new TestBrowser()
    const isMember = async (groups: string[]) => {
      provider.claims = { ...provider.claims, groups }
      await signIn(provider, server, browser)
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
    await using server = serve(provider, { limits })
    const { stores } = server
    const browser = new TestBrowser()
    provider.claims = { ...provider.claims, groups: ['students', 'guests'] }
    await signIn(provider, server, browser)
    const id = accountOf(browser, server)?.id ?? ''
    await stores.commits.run(() => stores.limits.set(id, { requestsPerMinute: 9 }))
    expect(stores.limits.of(id)).toEqual({ monthlyNanoUsd: 5, parallel: 1, requestsPerMinute: 9 })
    provider.claims = { ...provider.claims, groups: [] }
    await signIn(provider, server, browser)
    expect(stores.limits.of(id)).toEqual({ requestsPerMinute: 9 })
  })
})

test('keys pause when their holder stays away for the days of the setting, until the next sign-in', async () => {
  const clock = { nowMs: Date.now() }
  await using server = serve(provider, { pauseKeysDays: 30 }, { clock: () => clock.nowMs })
  const browser = new TestBrowser()
  await signIn(provider, server, browser)
  const id = accountOf(browser, server)?.id ?? ''
  const { key } = server.stores.keys.create({ accountId: id, name: 'x' })
  clock.nowMs += 30 * 86_400_000 - 1
  expect(server.stores.keys.verify(key).kind).toBe('valid')
  clock.nowMs += 1
  expect(server.stores.keys.verify(key).kind).toBe('identity-paused')
  server.stores.identities.admit({})
  expect(server.stores.keys.verify(key).kind).toBe('valid')
  server.stores.identities.admit({ company: 30 })
  expect(await signIn(provider, server)).toBe('signed in')
  expect(server.stores.keys.verify(key).kind).toBe('valid')
})
