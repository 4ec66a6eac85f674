import { describe, expect, test } from 'bun:test'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readSettings, variableWarnings } from './sources.ts'

const folder = mkdtempSync(join(tmpdir(), 'inferd-oidc-config-'))

function providersOf(fileText: string, environment: Record<string, string> = {}) {
  return readSettings({ flags: { data: folder }, environment, fileText }).providers
}

const least = 'issuer = "https://login.example/realms/a"\nclient_id = "inferd"\n'

describe('[oidc.NAME]', () => {
  test('needs two settings and has defaults for the others', () => {
    expect(providersOf(`[oidc.okta]\n${least}`).get('okta')).toEqual({
      name: 'okta',
      issuer: 'https://login.example/realms/a',
      clientId: 'inferd',
      clientSecret: undefined,
      label: 'okta',
      scopes: 'openid email profile',
      ca: undefined,
      groupsClaim: 'groups',
      allowedGroups: undefined,
      trustEmail: 'verified',
      createAccounts: true,
      sessionHours: 12,
      pauseKeysDays: 0,
      roles: new Map(),
      teams: new Map(),
      limits: new Map(),
    })
  })

  test('takes its secret from the environment before the file', () => {
    const text = `[oidc.okta]\n${least}client_secret = "of the file"\n`
    expect(providersOf(text).get('okta')?.clientSecret).toBe('of the file')
    const environment = { INFERD_OIDC_OKTA_SECRET: 'of the environment' }
    expect(providersOf(text, environment).get('okta')?.clientSecret).toBe('of the environment')
    expect(variableWarnings(environment)).toEqual([])
  })

  test('gives roles and teams by groups, whose names may have commas', () => {
    const text = `[oidc.okta]\n${least}allowed_groups = ["CN=Staff,OU=Box", "guests"]
      [oidc.okta.roles]\noperator = ["admins"]\nauditor = ["revision"]\n[oidc.okta.teams]\nresearch = ["ml", "nlp"]`
    expect(providersOf(text).get('okta')).toMatchObject({
      allowedGroups: ['CN=Staff,OU=Box', 'guests'],
      roles: new Map([
        ['operator', ['admins']],
        ['auditor', ['revision']],
      ]),
      teams: new Map([['research', ['ml', 'nlp']]]),
    })
  })

  test('limits the members of groups', () => {
    const text = `[oidc.okta]\n${least}[oidc.okta.limits.students]\nmonthly_usd = 2.5\nparallel = 2
      models = ["a/b"]\nendpoints = ["chat/completions"]\nnetworks = ["10.0.0.0/8"]`
    expect(providersOf(text).get('okta')?.limits.get('students')).toEqual({
      ...{ monthlyNanoUsd: 2_500_000_000, parallel: 2, models: ['a/b'] },
      ...{ endpoints: ['chat/completions'], networks: ['10.0.0.0/8'] },
    })
  })

  test('may stand several times', () => {
    expect([...providersOf(`[oidc.a]\n${least}[oidc.b]\n${least}`).keys()]).toEqual(['a', 'b'])
  })

  test.each([
    ['oidc = 1', 'oidc must be tables'],
    ['[oidc]\na = 1', '[oidc.a] must be a table'],
    [`[oidc.Okta]\n${least}`, 'the name must be 1 to 32 lower-case letters and digits'],
    ['[oidc.a]\nissuer = "https://x.example"', '[oidc.a] needs client_id'],
    ['[oidc.a]\nclient_id = "x"', '[oidc.a] needs issuer'],
    ['[oidc.a]\nissuer = "http://x.example"\nclient_id = "x"', 'issuer must begin with https://'],
    ['[oidc.a]\nissuer = "x.example"\nclient_id = "x"', '[oidc.a]: issuer must be an address'],
    [`[oidc.a]\n${least}isuer = "x"`, 'unknown setting "isuer" (did you mean "issuer"?)'],
    [`[oidc.a]\n${least}scopes = "email"`, 'scopes must contain openid'],
    [`[oidc.a]\n${least}trust_email = "always"`, 'trust_email must be'],
    [`[oidc.a]\n${least}session_hours = 0`, 'session_hours must be'],
    [`[oidc.a]\n${least}allowed_groups = [1]`, 'allowed_groups must be a list of names of groups'],
    [`[oidc.a]\n${least}client_secret = 5`, 'client_secret must be one line of text'],
    [`[oidc.a]\n${least}[oidc.a.roles]\nking = ["x"]`, 'there is no role "king" (known: auditor, treasurer, operator)'],
    [`[oidc.a]\n${least}[oidc.a.roles]\noperator = [1]`, 'roles.operator must be a list of names of groups'],
    [`[oidc.a]\n${least}[oidc.a.teams]\nx = 1`, 'teams.x must be a list of names of groups'],
    [`[oidc.a]\n${least}[oidc.a.limits]\nx = 1`, 'limits.x must be a table'],
    [`[oidc.a]\n${least}[oidc.a.limits.x]\nmonthly = 1`, 'unknown limit "monthly"'],
    [
      `[oidc.a]\n${least}[oidc.a.limits.x]\nendpoints = ["chat"]`,
      'endpoints must be a list of names of endpoints: chat/completions, ',
    ],
    [`[oidc.a]\n${least}[oidc.a.limits.x]\nparallel = 0`, 'limits.x.parallel must be'],
  ])('refuses %j', (text, message) => {
    expect(() => providersOf(text)).toThrow(message)
  })

  test('never shows a secret in an error', () => {
    const text = `[oidc.a]\n${least}client_secret = "two\\nlines"\n`
    expect(() => providersOf(text)).toThrow(/client_secret must be one line of text$/)
  })
})
