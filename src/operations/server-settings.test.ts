import { expect, test } from 'bun:test'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { type OperatorBox, openOperatorBox, signedInOperator } from '../testing/operator-box.ts'
import { problemOf } from '../testing/refusal.ts'
import { perform } from './operations.ts'

const text = `# This box
queue_wait = "7m"   # patience
allowed_hosts = [
  "box.lan", # the one at home
]

# For the night
[models."inferd/starter-chat".llama]
parallel = 3
`

const fileOf = ({ dataDir }: OperatorBox) => join(dataDir, 'config.toml')
const read = (box: OperatorBox) => readFileSync(fileOf(box), 'utf8')

async function row(box: OperatorBox, name: string) {
  const { settings } = await box.perform('settings-list', {})
  return settings.find((setting) => setting.name === name)
}

const audit = ({ services }: OperatorBox): Record<string, unknown>[] =>
  services.stores.audit.list().map(({ action, details }) => ({ action, ...details }))

test('a setting is written to its line of the file, and takes effect at the next start', async () => {
  await using box = openOperatorBox({}, {}, text)
  chmodSync(fileOf(box), 0o640)
  const changed = await box.perform('settings-set', { values: { 'queue-wait': '600s' } })
  expect(changed.settings).toMatchObject([{ name: 'queue-wait', before: '7m', after: '10m', needsRestart: true }])
  expect(read(box)).toBe(text.replace('"7m"', '"10m"'))
  expect(statSync(fileOf(box)).mode & 0o777).toBe(0o640)
  expect(readdirSync(box.dataDir).filter((name) => name.startsWith('config'))).toEqual(['config.toml'])
  expect(await row(box, 'queue-wait')).toMatchObject({ value: '7m', next: '10m', needsRestart: true, group: 'models' })
  const again = () => box.perform('settings-set', { values: { 'queue-wait': '7m' } })
  await again()
  expect(audit(box)).toHaveLength(2)
  await again()
  expect(audit(box)).toHaveLength(2)
  expect(await row(box, 'queue-wait')).toMatchObject({ value: '7m', next: '7m', needsRestart: false })
  expect(read(box)).toBe(text)
  await box.perform('settings-set', { values: { 'allowed-hosts': 'box.lan, box.example.org' } })
  await box.perform('settings-set', { values: { 'image-urls': 'true' } })
  expect(read(box)).toBe(text.replace(/\[\n.*\n\]/, '["box.lan", "box.example.org"]\nimage_urls = true'))
  expect(audit(box).at(-1)).toEqual({ action: 'settings.set', name: 'queue-wait', before: '7m', after: '10m' })
})

test('a removed setting is at its default again', async () => {
  await using box = openOperatorBox({}, {}, text)
  expect(await box.perform('settings-unset', { names: ['queue-wait'] })).toMatchObject({
    settings: [{ before: '7m', after: '5m' }],
  })
  expect(read(box)).toBe(text.replace('queue_wait = "7m"   # patience\n', ''))
  expect(await row(box, 'queue-wait')).toMatchObject({ value: '7m', next: '5m', nextSource: 'default' })
  expect(audit(box)).toEqual([{ action: 'settings.unset', name: 'queue-wait', before: '7m', after: '5m' }])
})

test('a box without a file gets one that only its owner reads', async () => {
  await using box = openOperatorBox()
  const list = await box.perform('settings-list', {})
  expect([list.file, list.path]).toEqual([undefined, fileOf(box)])
  await box.perform('settings-set', { values: { signup: 'false' } })
  expect([read(box), statSync(fileOf(box)).mode & 0o777]).toEqual(['signup = false\n', 0o600])
})

test('a secret is nowhere but in the file', async () => {
  await using box = openOperatorBox(
    {},
    {},
    'smtp_host = "mail.lan"\nmail_from = "a@b.cd"\nsmtp_user = "ada"\nsmtp_password = "first-secret"\n',
  )
  const changed = await box.perform('settings-set', { values: { 'smtp-password': 'second-secret' } })
  expect(read(box)).toContain('smtp_password = "second-secret"')
  const told = JSON.stringify([changed, await box.perform('settings-list', {}), audit(box)])
  expect(told).not.toMatch(/first-secret|second-secret/)
  expect(await row(box, 'smtp-password')).toMatchObject({ value: '(set)', next: '(set)', needsRestart: true })
  const refused = await problemOf(box.perform('settings-set', { values: { 'smtp-password': 'third-\nsecret' } }))
  expect(refused).toMatchObject({ code: 'invalid_input', field: 'smtp-password' })
  expect(JSON.stringify(refused)).not.toContain('third')
})

test('what the next start would refuse is refused with its reason, and the file stays', async () => {
  await using box = openOperatorBox({}, {}, text)
  const refusals = [
    ['port', '99999', { code: 'invalid_input', field: 'port', rule: 'must be a whole number from 0 to 65535' }],
    [
      'smtp-host',
      'mail.lan',
      { code: 'settings_refused', reason: 'smtp_host needs --mail-from (INFERD_MAIL_FROM) as well' },
    ],
    [
      'preload',
      'no/such',
      { code: 'settings_refused', reason: expect.stringContaining('there is no model "no/such" to preload') },
    ],
    [
      'moderation-model',
      'no/such',
      { code: 'settings_refused', reason: expect.stringContaining('there is no model "no/such" for moderation-model') },
    ],
    [
      'audio-fallback',
      'no/such',
      { code: 'settings_refused', reason: expect.stringContaining('there is no model "no/such" for audio-fallback') },
    ],
    ['data', '/elsewhere', { code: 'setting_by_hand', name: 'data' }],
    ['nvidia-libraries', '/tmp', { code: 'setting_by_hand', name: 'nvidia-libraries' }],
    ['no-such', '1', { code: 'not_found', what: 'setting', name: 'no-such' }],
  ] as const
  for (const [name, value, problem] of refusals)
    expect(await problemOf(box.perform('settings-set', { values: { [name]: value } }))).toMatchObject(problem)
  expect([read(box), audit(box)]).toEqual([text, []])
})

test('settings that need each other are changed together', async () => {
  await using box = openOperatorBox({}, {}, text)
  const values = { 'smtp-host': 'mail.lan', 'mail-from': 'box@b.cd', 'smtp-user': 'ada', 'smtp-password': 'secret' }
  expect((await box.perform('settings-set', { values })).settings).toHaveLength(4)
  expect(await problemOf(box.perform('settings-unset', { names: ['mail-from'] }))).toMatchObject({
    code: 'settings_refused',
  })
  await box.perform('settings-unset', { names: Object.keys(values) })
  expect(read(box)).toBe(text)
  expect(audit(box)).toHaveLength(8)
})

test('a flag or a variable that wins over the file is told', async () => {
  await using box = openOperatorBox({ INFERD_LOG_LEVEL: 'warn' }, { 'queue-wait': '3m' }, text)
  expect(await row(box, 'queue-wait')).toMatchObject({ value: '3m', decidedBy: '--queue-wait' })
  expect(await row(box, 'log-level')).toMatchObject({ value: 'warn', decidedBy: 'INFERD_LOG_LEVEL' })
  const changed = await box.perform('settings-set', { values: { 'queue-wait': '9m' } })
  expect(changed.settings).toMatchObject([{ decidedBy: '--queue-wait', needsRestart: false, after: '3m' }])
  expect(read(box)).toContain('queue_wait = "9m"')
})

test('a file that somebody else changed is not overwritten', async () => {
  await using box = openOperatorBox({}, {}, text)
  const { version } = await box.perform('settings-list', {})
  const other = text.replace('7m', '8m')
  writeFileSync(fileOf(box), other)
  expect(await problemOf(box.perform('settings-set', { values: { 'backup-keep': '1' }, version }))).toMatchObject({
    code: 'settings_changed',
  })
  expect(read(box)).toBe(other)
  const { version: now } = await box.perform('settings-list', {})
  const { version: next } = await box.perform('settings-set', { values: { 'backup-keep': '1' }, version: now })
  await box.perform('settings-set', { values: { 'backup-keep': '2' }, version: next })
  expect(read(box)).toContain('backup_keep = 2\n')
})

test('a file that is not TOML any more is told as the reason, and left alone', async () => {
  await using box = openOperatorBox({}, {}, text)
  writeFileSync(fileOf(box), 'port = \n')
  expect((await box.perform('settings-list', {})).problem).toContain('cannot be read')
  expect(await problemOf(box.perform('settings-set', { values: { port: '1' } }))).toMatchObject({
    code: 'settings_refused',
  })
  expect(read(box)).toBe('port = \n')
})

test('a link to the file stays a link', async () => {
  await using box = openOperatorBox({}, {}, text)
  const real = join(box.dataDir, 'elsewhere', 'inferd.toml')
  mkdirSync(join(box.dataDir, 'elsewhere'))
  renameSync(fileOf(box), real)
  symlinkSync(real, fileOf(box))
  await box.perform('settings-set', { values: { 'backup-keep': '1' } })
  expect(readFileSync(real, 'utf8')).toContain('backup_keep = 1')
  expect(existsSync(join(box.dataDir, 'elsewhere', 'inferd.toml.tmp'))).toBe(false)
  expect(
    readdirSync(box.dataDir, { withFileTypes: true })
      .find(({ name }) => name === 'config.toml')
      ?.isSymbolicLink(),
  ).toBe(true)
})

test('changes at the same time are all written', async () => {
  await using box = openOperatorBox({}, {}, text)
  const names = ['pull-connections', 'backup-keep', 'smtp-port', 'signup-limit', 'body-limit-mb']
  await Promise.all(names.map((name) => box.perform('settings-set', { values: { [name]: '12' } })))
  for (const name of names) expect(await row(box, name)).toMatchObject({ next: 12 })
})

test('a changed mail server needs the password again, so that a stolen session leads it nowhere', async () => {
  const mail = 'smtp_host = "mail.lan"\nmail_from = "a@b.cd"\nsmtp_user = "ada"\nsmtp_password = "first-secret"\n'
  for (const environment of [{}, { INFERD_SMTP_PASSWORD: 'first-secret' }]) {
    await using box = openOperatorBox(environment, {}, mail)
    const set = (values: Record<string, string>) => problemOf(box.perform('settings-set', { values }))
    const refusal = { code: 'invalid_input', field: 'smtp-password' }
    expect(await set({ 'smtp-host': 'evil.example' })).toMatchObject(refusal)
    expect(await set({ 'smtp-security': 'none' })).toMatchObject(refusal)
    expect(await set({ 'smtp-port': '25', 'smtp-password': 'guess' })).toMatchObject(
      'INFERD_SMTP_PASSWORD' in environment ? refusal : { settings: expect.anything() },
    )
    expect(JSON.stringify(await set({ 'smtp-host': 'evil.example' }))).not.toContain('first-secret')
    if ('INFERD_SMTP_PASSWORD' in environment)
      await box.perform('settings-set', { values: { 'smtp-host': 'new.lan', 'smtp-password': 'first-secret' } })
    await box.perform('settings-set', { values: { 'mail-from': 'c@d.ef' } })
    // A password that is gone leads nowhere.
    if (!('INFERD_SMTP_PASSWORD' in environment)) {
      await box.perform('settings-unset', { names: ['smtp-user', 'smtp-password'] })
      await box.perform('settings-set', { values: { 'smtp-host': 'new.lan' } })
    }
  }
})

test('an address that the next start could not listen on is refused', async () => {
  await using box = openOperatorBox({}, {}, text)
  using taken = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => new Response() })
  expect(await problemOf(box.perform('settings-set', { values: { port: String(taken.port) } }))).toMatchObject({
    ...{ code: 'settings_refused', reason: expect.stringContaining('the port is in use') },
  })
  expect(await problemOf(box.perform('settings-set', { values: { host: '192.0.2.1' } }))).toMatchObject({
    code: 'settings_refused',
  })
  box.services.stores.accounts.ensureOperator()
  expect(await problemOf(box.perform('settings-set', { values: { host: '0.0.0.0' } }))).toMatchObject({
    ...{ code: 'settings_refused', reason: expect.stringContaining('needs an API key') },
  })
  expect(read(box)).toBe(text)
})

test('a file that begins with a byte order mark keeps it', async () => {
  await using box = openOperatorBox({}, {}, `\ufeff${text}`)
  await box.perform('settings-set', { values: { 'queue-wait': '9m' } })
  expect(read(box)).toBe(`\ufeff${text.replace('7m', '9m')}`)
})

test('a file that is read-only stays as it is', async () => {
  await using box = openOperatorBox({}, {}, text)
  chmodSync(fileOf(box), 0o444)
  expect(await problemOf(box.perform('settings-set', { values: { 'queue-wait': '9m' } }))).toMatchObject({
    ...{ code: 'settings_refused', reason: expect.stringContaining('read-only') },
  })
  expect(read(box)).toBe(text)
})

test('hostile text in a value stays a value', async () => {
  await using box = openOperatorBox({}, {}, text)
  const hostile = 'Pay "me"\\ [prices."x/y"] # \u001b[31m </script> \u2028 $HOME \u007f'
  await box.perform('settings-set', { values: { 'top-up-text': hostile } })
  expect(await row(box, 'top-up-text')).toMatchObject({ next: hostile })
  for (const broken of ['a\nport = 1', 'a\r', 'a\u0000'])
    expect(await problemOf(box.perform('settings-set', { values: { 'top-up-text': broken } }))).toMatchObject({
      ...{ code: 'invalid_input', field: 'top-up-text' },
    })
  await box.perform('settings-unset', { names: ['top-up-text'] })
  expect(read(box)).toBe(text)
})

test('a session that has ended changes nothing, not even the file', async () => {
  await using box = openOperatorBox({}, {}, text)
  const caller = { kind: 'operator', actor: 'operator:x', baseUrl: '', accountId: 'x', session: 'ended' } as const
  const set = perform(box.services, caller, { name: 'settings-set', input: { values: { port: '0' } } })
  expect(await problemOf(set)).toEqual({ code: 'not_signed_in' })
  expect(read(box)).toBe(text)
})

test('settings that decide who gets in, or where secrets go, take the operator’s password on a page', async () => {
  await using box = openOperatorBox({}, {}, text)
  const caller = await signedInOperator(box)
  const set = (input: object) => problemOf(perform(box.services, caller, { name: 'settings-set', input }))
  const guarded = { 'public-url': 'https://evil.example' }
  expect(await set({ values: guarded })).toEqual({ code: 'wrong_password' })
  expect(await set({ values: { 'queue-wait': '1m', ...guarded }, current: 'x' })).toEqual({ code: 'wrong_password' })
  const unset = { name: 'settings-unset', input: { names: ['allowed-hosts'] } } as const
  expect(await problemOf(perform(box.services, caller, unset))).toEqual({ code: 'wrong_password' })
  expect(read(box)).toBe(text)
  await set({ values: { 'backup-keep': '3' } })
  await set({ values: guarded, current: 'right password' })
  expect(read(box)).toContain('public_url = "https://evil.example"')
  expect(JSON.stringify(audit(box))).not.toContain('right password')
})
