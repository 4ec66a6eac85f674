import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadConfig } from './config.ts'
import { settingsReport } from './shown-settings.ts'

let data = ''

beforeEach(() => {
  data = mkdtempSync(join(tmpdir(), 'inferd-settings-'))
})
afterEach(() => rmSync(data, { recursive: true }))

test('settings show their source and value in force for a flag, a variable and a file line; a secret is "(set)"', () => {
  const file = join(data, 'config.toml')
  writeFileSync(
    file,
    `memory_keep = "2GiB"
trusted_proxies = ["10.0.0.0/8"]
[prices."org/model"]
input = 0.25
[models."org/model".llama]
parallel = 3
`,
  )
  const environment = {
    INFERD_LOG_LEVEL: 'warn',
    INFERD_SMTP_PASSWORD: 'hunter2hunter2',
    INFERD_SMTP_USER: 'ada',
    INFERD_SMTP_HOST: 'mail.example',
    INFERD_MAIL_FROM: 'box@example.org',
  }
  const config = loadConfig({ flags: { data, port: '8080' }, environment })
  const report = settingsReport(config, { path: file, version: '', coming: config })
  const row = (name: string) => report.settings.find((setting) => setting.name === name)
  expect(row('port')).toMatchObject({ value: 8080, source: '--port', defaultText: '11500', line: 'port = 8080' })
  expect(row('log-level')).toMatchObject({ value: 'warn', source: 'INFERD_LOG_LEVEL', line: 'log_level = "warn"' })
  expect(row('memory-keep')).toMatchObject({ value: '2GiB', source: file, line: 'memory_keep = "2GiB"' })
  expect(row('trusted-proxies')?.line).toBe('trusted_proxies = ["10.0.0.0/8"]')
  expect(row('host')).toMatchObject({ value: '127.0.0.1', source: 'default' })
  expect(row('smtp-password')).toMatchObject({ value: '(set)', source: 'INFERD_SMTP_PASSWORD', line: undefined })
  expect(JSON.stringify(report)).not.toContain('hunter2')
})

test('pages ask for the password before settings that let people in or lead secrets elsewhere, and leave some alone', () => {
  const config = loadConfig({ flags: { data }, environment: {} })
  const { settings } = settingsReport(config, { path: '', version: '', coming: config })
  const namesOf = (rows: typeof settings) => rows.map(({ name }) => name)
  expect(namesOf(settings.filter(({ isGuarded }) => isGuarded))).toEqual([
    ...([
      'host',
      'public-url',
      'allowed-hosts',
      'admin',
      'tls',
      'local-http',
      'acme-directory',
      'acme-agree-terms',
      'acme-mail',
      'acme-names',
      'search-url',
      'ollama-keyless',
      'ollama-origins',
      'local-sign-in',
      'second-factor',
      'trusted-proxies',
    ] as const),
    ...(['smtp-host', 'smtp-port', 'smtp-security', 'smtp-user', 'mail-from'] as const),
    ...(['share', 'share-key', 'backup-folder', 'syslog', 'otlp-endpoint', 'otlp-headers', 'otlp-signals'] as const),
  ])
  expect(namesOf(settings.filter(({ isByHand }) => isByHand))).toEqual([
    ...([
      'data',
      'restart-status',
      'tls-cert',
      'tls-key',
      'acme-ca',
      'pull-ca',
      'bundle-keys',
      'nvidia-libraries',
      'gpu-index',
      'records-file',
      'ship-ca',
    ] as const),
  ])
})
