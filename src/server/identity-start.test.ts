import { expect, test } from 'bun:test'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadConfig } from '../config/config.ts'
import { openTestAccounts } from '../testing/test-accounts.ts'
import { missingTeams, openIdentityProviders } from './start-conditions.ts'

const folder = mkdtempSync(join(tmpdir(), 'inferd-identity-start-'))

function start(flags: Record<string, string>, more = ''): string {
  const fileText = `[oidc.company]\nissuer = "https://login.example"\nclient_id = "x"\n${more}`
  try {
    openIdentityProviders(loadConfig({ flags: { data: folder, ...flags }, environment: {}, fileText }))
    return 'started'
  } catch (error) {
    return String(error)
  }
}

test('identity providers need https where other machines reach the server', () => {
  expect(start({ host: '127.0.0.1' })).toBe('started')
  expect(start({ host: '0.0.0.0' })).toContain('[oidc.company] needs https')
  expect(start({ host: '0.0.0.0', 'public-url': 'http://box.example' })).toContain('needs https')
  expect(start({ host: '0.0.0.0', 'public-url': 'https://box.example' })).toBe('started')
  expect(start({ host: '0.0.0.0', tls: 'own-ca' })).toBe('started')
})

test('identity providers need certificates that can be read', () => {
  const path = join(folder, 'ca.pem')
  expect(start({}, `ca = "${path}"`)).toContain('ENOENT')
  writeFileSync(path, 'nothing')
  expect(start({}, `ca = "${path}"`)).toContain('holds no certificates')
})

test('teams of the settings that do not exist are named at the start', () => {
  using books = openTestAccounts()
  books.stores.accounts.createTeam('research', 'cli:root')
  const fileText =
    '[oidc.company]\nissuer = "https://login.example"\nclient_id = "x"\nteams = { research = ["ml"], sales = ["x"] }'
  const config = loadConfig({ flags: { data: folder }, environment: {}, fileText })
  expect(missingTeams(config, books.stores.teams)).toEqual([
    `[oidc.company.teams]: there is no team "sales"; make it with 'inferd teams create'`,
  ])
})
