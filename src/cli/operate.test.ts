/** Commands about accounts and money, with a real server process and without one. */

import { Database } from 'bun:sqlite'
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { migrations } from '../db/migrations/index.ts'
import { takeServerLock } from '../db/server-lock.ts'
import { controlSocketPath } from '../server/control.ts'
import { testRules } from '../testing/account-rules.ts'
import { runCommand } from '../testing/run-cli.ts'
import { testedProgram } from '../testing/tested-program.ts'
import { perform } from './perform.ts'

const email = 'ada@example.org'
let data = ''
let server: Bun.Subprocess | undefined

beforeEach(() => {
  data = join(mkdtempSync(join(tmpdir(), 'inferd-operate-')), 'data')
  mkdirSync(join(data, 'models.d'), { recursive: true, mode: 0o700 })
  writeFileSync(
    join(data, 'models.d', 'fake.toml'),
    'id = "test/fake"\ntype = "chat"\nengine = "fake"\n[pricing]\ninput = 1\ncached_input = 0.25\noutput = 2\nunit = "1M_tokens"\n',
  )
})

afterEach(() => stopServer('SIGKILL'))

function run(...words: string[]) {
  return runCommand(words, { INFERD_DATA: data, SUDO_USER: 'grace' })
}

// biome-ignore lint/suspicious/noExplicitAny: tests look into whatever JSON comes
async function json(...words: string[]): Promise<any> {
  const { code, out, error } = await run(...words, '--json')
  expect({ code, error }).toEqual({ code: 0, error: '' })
  return JSON.parse(out)
}

async function startServer(): Promise<string> {
  const child = Bun.spawn([...testedProgram, 'serve', '--data', data, '--port', '0', '--json'], {
    env: { HOME: tmpdir() },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'ignore',
  })
  server = child
  let printed = ''
  for await (const text of child.stdout.pipeThrough(new TextDecoderStream()).values({ preventCancel: true })) {
    printed += text
    const [, url] = /"listening","url":"([^"]+)"/.exec(printed) ?? []
    if (url !== undefined) return url
  }
  throw new Error('the server did not start')
}

async function stopServer(signal: NodeJS.Signals): Promise<void> {
  server?.kill(signal)
  await server?.exited
  server = undefined
}

const script = { script: [{ text: 'one' }, { text: ' two' }], promptTokens: 50, cachedTokens: 30 }

async function chat(url: string, key: string): Promise<string> {
  const answer = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      model: 'test/fake',
      max_tokens: 10,
      messages: [{ role: 'user', content: JSON.stringify(script) }],
    }),
  })
  expect(answer.status).toBe(200)
  await answer.text()
  return answer.headers.get('x-request-id') ?? ''
}

/** Changes rows as no command could: drops the triggers and restores them. */
function damage(sql: string): void {
  const database = new Database(join(data, 'inferd.db'))
  const triggers = database
    .query<{ name: string; sql: string }, []>("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'")
    .all()
  for (const { name } of triggers) database.run(`DROP TRIGGER ${name}`)
  database.run(sql)
  for (const trigger of triggers) database.run(trigger.sql)
  database.close()
}

for (const isRunning of [false, true]) {
  const how = isRunning ? 'through the running server' : 'without a server'

  test(`an account is made, paid in, switched and audited ${how}`, async () => {
    if (isRunning) await startServer()
    const made = await json('users', 'create', email, '--name', 'Ada')
    expect(made).toMatchObject({
      email,
      name: 'Ada',
      isUnmetered: false,
      balanceUsd: '0',
      heldUsd: '0',
      disabledMs: null,
    })
    expect(await json('credit', 'ADA@example.org', '20.000000001', '--memo', 'invoice 7')).toEqual({
      account: made.id,
      email,
      kind: 'credit',
      amountUsd: '20.000000001',
      balanceUsd: '20.000000001',
    })
    expect((await run('credit', made.id, '-5')).out).toBe(`$5 taken from ${email}; its balance is $15.000000001.\n`)
    const key = await json('keys', 'create', '--name', 'laptop', '--account', email)
    expect(key.account).toBe(made.id)
    expect((await json('users', 'unmetered', email, 'on')).isUnmetered).toBe(true)
    expect((await json('users', 'disable', email)).disabledMs).toBeNumber()
    expect((await json('users', 'enable', email)).disabledMs).toBeNull()
    expect((await json('keys', 'revoke', key.prefix)).revoked).toBe(key.id)

    const shown = await json('users', 'show', email)
    expect(shown.account).toMatchObject({ id: made.id, balanceUsd: '15.000000001', isUnmetered: true })
    expect(shown.keys).toMatchObject([{ id: key.id, revokedAtMs: expect.any(Number) }])
    expect(shown.ledger.map((row: { kind: string }) => row.kind)).toEqual(['adjustment', 'credit', 'signup'])
    expect((await run('users', 'list')).out).toContain(
      `${made.id}  ${email}  Ada       member    unmetered  $15.000000001  $0`,
    )

    const audit = await json('audit', '--account', email)
    expect(audit.map((row: { action: string }) => row.action)).toEqual([
      ...['key.revoke', 'account.enable', 'account.disable', 'account.unmetered'],
      ...['key.create', 'adjustment', 'credit', 'account.create'],
    ])
    expect(audit.every((row: { actor: string }) => row.actor === 'cli:grace')).toBe(true)
    expect((await run('audit', '--account', email)).out).toContain('amount=$20.000000001')
    expect(JSON.stringify(audit)).not.toContain(key.key)
    expect(await json('audit', 'verify')).toMatchObject({ problems: [] })
    expect((await run('doctor')).code).toBe(0)
  })

  test(`accounts are found, let in and shut out, and money is listed ${how}`, async () => {
    const url = isRunning ? await startServer() : 'http://127.0.0.1:11500'
    const { id } = await json('users', 'create', email, '--name', 'Ada')
    await json('credit', email, '3')
    expect(await json('users', 'list', '--search', 'ADA@')).toMatchObject([
      { id, spent30DaysUsd: '0', lastUsedMs: null },
    ])
    expect(await json('users', 'list', '--state', 'empty')).toEqual([])
    expect(await json('ledger', 'list', '--kind', 'credit')).toMatchObject([{ accountId: id, amountUsd: '3' }])
    expect((await run('ledger', 'sums')).out).toMatch(/^All balances +\$3\n/)
    expect(await json('vouchers', 'list', '--state', 'open')).toEqual([])

    const link = await run('users', 'link', email)
    expect(link.out).toMatch(new RegExp(`^${url}/sign-in\\?token=\\w{32}\n$`))
    expect((await json('users', 'role', email, 'operator')).role).toBe('operator')
    const setup = await json('admin', 'link', '--account', email, '--url', 'https://box.example/')
    expect(setup).toMatchObject({
      account: id,
      link: expect.stringMatching(/^https:..box.example.admin.setup#\w{43}$/),
    })
    expect(await json('sessions', 'list', email)).toEqual([])
    expect(await run('sessions', 'end', email)).toMatchObject({ code: 0, out: '0 sessions ended.\n' })
    expect(await run('sessions', 'end', email, 'ses_none')).toMatchObject({
      code: 1,
      error: `inferd: there is no session "ses_none"; 'inferd sessions list --data ${data}' shows those of an account\n`,
    })
    await json('users', 'role', email, 'member')
    expect(await run('admin', 'link', '--account', email, '--url', 'https://box.example')).toMatchObject({
      code: 1,
      error: `inferd: ${email} has no role that signs in this way. Give it one first\n`,
    })
    const done = await json('audit', '--account', email, '--action', 'account.role')
    expect(done.map(({ details }: { details: object }) => details)).toEqual([
      { role: 'member', former: 'operator', source: 'hand' },
      { role: 'operator', former: 'member', source: 'hand' },
    ])
    expect(await json('audit', '--actor', 'cli:nobody')).toEqual([])
  })

  test(`vouchers and waiting mails are shown with their secrets once ${how}`, async () => {
    const url = isRunning ? await startServer() : 'http://127.0.0.1:11500'
    const { code, out, error } = await run('vouchers', 'create', '--amount', '2.5', '--count', '2', '--memo', 'fair')
    expect({ code, error }).toEqual({ code: 0, error: '2 vouchers of $2.5 made. Codes are shown this once.\n' })
    expect(out).toMatch(/^(VC-[0-9A-Z-]{27}\n){2}$/)
    const vouchers = await json('vouchers', 'list')
    expect(vouchers).toMatchObject([{ amountUsd: '2.5', memo: 'fair', redeemedMs: null }, { amountUsd: '2.5' }])
    expect((await json('vouchers', 'revoke', vouchers[0].id)).revoked).toBe(vouchers[0].id)
    expect((await run('vouchers', 'list')).out).toMatch(/vou_\w+ +\$2.5 +revoked/)
    expect(await run('vouchers', 'revoke', 'vou_none')).toMatchObject({
      code: 1,
      error: expect.stringContaining('there is no voucher'),
    })

    const { id: account } = await json('users', 'create', email)
    const database = new Database(join(data, 'inferd.db'))
    database.run("INSERT INTO outbox (id, account_id, purpose, created) VALUES ('mail_a', ?, 'confirm', 1)", [account])
    database.close()
    expect(await json('outbox')).toMatchObject([{ id: 'mail_a', address: email, purpose: 'confirm', sentMs: null }])
    const opened = await run('outbox', '--open', 'mail_a')
    expect(opened.out).toMatch(new RegExp(`^${url}/confirm\\?token=\\w{32}\n$`))
    expect(opened.error).toContain(`For ${email} alone`)
    expect(await json('outbox')).toEqual([])
    expect(await json('outbox', '--all')).toMatchObject([{ id: 'mail_a', sentMs: expect.any(Number) }])
    const token = opened.out.trim().split('=')[1] ?? 'no token'
    for (const file of ['inferd.db', 'inferd.db-wal']
      .map((name) => join(data, name))
      .filter((path) => existsSync(path))) {
      for (const secret of [token, ...out.trim().split('\n')]) expect(readFileSync(file).includes(secret)).toBe(false)
    }
  })
}

test('a flag of a command is not taken for the setting of the same name', async () => {
  await json('users', 'create', email)
  expect(await json('limits', 'set', email, '--parallel', '300')).toMatchObject({ parallel: 300 })
  expect(await json('limits', 'set', email, '--parallel', 'none')).toMatchObject({ parallel: null })
})

test('an estimated request says so on its receipt, in lists and in sums', async () => {
  await run('users', 'create', email)
  await json('keys', 'create', '--name', 'k', '--account', email)
  const database = new Database(join(data, 'inferd.db'))
  database.run(
    `INSERT INTO usage (request_id, account_id, key_id, endpoint, model, prompt_tokens, cached_tokens, completion_tokens,
       reasoning_tokens, characters, audio_ms, prices, cost, charged, finish, estimated, created)
     SELECT 'req_1', account_id, id, 'chat/completions', 'a/b', 5, 0, 3, 0, 0, 0, '{"unit":"1M_tokens"}', 7000, 0, 'stop', 1, 0
     FROM api_keys`,
  )
  database.close()
  expect(await json('receipt', 'req_1')).toMatchObject({ isEstimated: true })
  expect((await run('receipt', 'req_1')).out).toContain('          estimated: no engine counted it\n')
  expect((await run('requests', 'list', '--paid')).out).toContain(' 3 (estimated) ')
  expect((await run('usage', '--by', 'model')).out).toContain(' 1, $0.000007 ')
  expect((await run('usage', '--by', 'model', '--csv')).out).toBe(
    'model,requests,prompt_tokens,cached_tokens,completion_tokens,reasoning_tokens,characters,audio_seconds,images,cost_usd,' +
      'charged_usd,estimated_requests,estimated_cost_usd\r\na/b,1,5,0,3,0,0,0,0,0.000007,0,1,0.000007\r\n',
  )
})

test('what is read is the same beside the server and after it', async () => {
  const url = await startServer()
  await run('users', 'create', email)
  await run('credit', email, '1')
  const key = (await json('keys', 'create', '--name', 'k', '--account', email)).key
  const today = () => new Date().toISOString().slice(0, 10)
  const from = today()
  const request = await chat(url, key)
  const readings = [
    ['users', 'list'],
    ['users', 'show', email],
    ['keys', 'list'],
    ['audit'],
    ['vouchers', 'list'],
    ['outbox', '--all'],
    ['receipt', request],
    ...['day', 'model', 'key', 'account', 'day,key'].map((by) => ['usage', '--by', by]),
    ['usage', '--csv'],
  ]
  const readAll = () => Promise.all(readings.map((words) => run(...words)))
  const beside = await readAll()
  await stopServer('SIGTERM')
  expect(await readAll()).toEqual(beside)
  expect(beside.map(({ code }) => code)).toEqual(readings.map(() => 0))

  const receipt = await json('receipt', request)
  const { promptTokens, completionTokens } = receipt.used
  const cost = `0.${String(20 * 1000 + 30 * 250 + completionTokens * 2000).padStart(9, '0')}`.replace(/0+$/, '')
  expect(receipt).toMatchObject({
    requestId: request,
    email,
    model: 'test/fake',
    costUsd: cost,
    chargedUsd: cost,
    finish: 'stop',
  })
  expect(receipt.pricing).toMatchObject({ inputUsd: '1', outputUsd: '2', unit: '1M_tokens' })
  expect(receipt.balanceAfterUsd).toBe((await json('users', 'show', email)).account.balanceUsd)
  const { out } = await run('receipt', request)
  expect(out).toContain('20 input tokens at $1 per 1M tokens\n')
  expect(out).toContain('30 cached input tokens at $0.25 per 1M tokens\n')
  expect(out).toContain(`${completionTokens} output tokens at $2 per 1M tokens\n`)
  expect(await json('usage', '--by', 'model')).toMatchObject({
    rows: [{ groups: [{ by: 'model', id: 'test/fake', label: null }], requests: 1, chargedUsd: cost }],
    total: { requests: 1, chargedUsd: cost },
  })
  expect((await run('usage', '--by', 'account', '--csv')).out).toContain(
    `,${email},1,${promptTokens},30,${completionTokens},`,
  )
  expect(await json('usage', '--from', from, '--to', today(), '--account', email)).toMatchObject({
    rows: [{ requests: 1 }],
  })
  expect(await json('usage', '--to', '2020-01-01')).toMatchObject({ rows: [], total: { requests: 0 } })
})

test('no more is taken away than is free, and nothing is left of what failed', async () => {
  await run('users', 'create', email)
  await run('credit', email, '1')
  expect(await run('credit', email, '-1.000000001')).toEqual({
    code: 1,
    out: '',
    error: `inferd: ${email} has $1: at most $1 can be taken away\n`,
  })
  damage('UPDATE accounts SET held = 400000000 WHERE email IS NOT NULL')
  expect((await run('credit', email, '-0.7')).error).toContain(
    'has $1 of which requests hold $0.4: at most $0.6 can be',
  )
  expect((await run('credit', email, '5000000')).error).toContain('no account may have more than $5000000')
  expect((await json('users', 'show', email)).ledger.length).toBe(2)
})

test('a credit with an idempotency key is done once, also at once and after the server was killed', async () => {
  await startServer()
  await run('users', 'create', email)
  const words = ['credit', email, '20', '--memo', 'invoice 7', '--idempotency-key', 'invoice-7']
  const [first, second] = await Promise.all([json(...words), json(...words)])
  expect(first).toMatchObject({ kind: 'credit', amountUsd: '20', balanceUsd: '20' })
  expect(second).toEqual(first)
  await stopServer('SIGKILL')
  expect(await json(...words)).toEqual(first)
  await startServer()
  expect(await json(...words)).toEqual(first)
  expect(await run('credit', email, '21', '--memo', 'invoice 7', '--idempotency-key', 'invoice-7')).toEqual({
    code: 1,
    out: '',
    error: 'inferd: the idempotency key names another credit: of another account, amount or memo\n',
  })
  const { account, ledger } = await json('users', 'show', email)
  expect(account.balanceUsd).toBe('20')
  expect(ledger.map((row: { idempotencyKey: string }) => row.idempotencyKey)).toEqual(['invoice-7', null])
  expect((await run('doctor')).code).toBe(0)
})

test.each([
  [['credit', email, '0'], 'the amount must be USD such as 20, 0.5 or -3.25'],
  [['credit', email, '1e3'], 'the amount must be USD such as 20, 0.5 or -3.25'],
  [['credit', email, '0.0000000001'], 'the amount must be USD such as 20, 0.5 or -3.25'],
  [['credit', email, '1', '--memo', 'a\nb'], '--memo takes 1 to 200 characters on one line'],
  [['credit', email, '1', '--idempotency-key', ' '], '--idempotency-key takes 1 to 200 characters on one line'],
  [['users', 'list', '--limit', '0'], '--limit must be a whole number from 1 to 100000'],
  [['keys', 'list', '--before', 'key_none'], '--before must be the id of a row of the list, not "key_none"'],
  [['vouchers', 'create', '--amount', '-1'], '--amount must be USD such as 20 or 0.5'],
  [['vouchers', 'create', '--amount', '1', '--count', '1001'], '--count must be a whole number from 1 to 1000'],
  [['usage', '--by', 'week'], '--by takes one or two of day, model, key, holder, account'],
  [['usage', '--from', '2026-02-31'], '--from must be a day such as 2026-01-31'],
  [['usage', '--to', 'today'], '--to must be a day such as 2026-01-31'],
  [['audit', '--limit', '0'], '--limit must be a whole number from 1 to 100000'],
  [['users', 'list', '--state', 'gone'], '--state must be one of unconfirmed, disabled, unmetered, empty, operator'],
  [['ledger', 'list', '--kind', 'gift'], '--kind must be one of signup, credit'],
  [['users', 'unmetered', email, 'yes'], 'unmetered is on or off, not "yes"'],
  [['users', 'unmetered', email, 'yes'], 'unmetered is on or off, not "yes"'],
  [['users', 'create', 'nobody'], '"nobody" is no mail address'],
  [['users', 'create', ''], 'the argument email is a mail address such as ada@example.org'],
])('%j is wrong usage', async (words, message) => {
  await run('users', 'create', email)
  const { code, out, error } = await run(...words)
  expect({ code, out, error }).toEqual({ code: 2, out: '', error: expect.stringContaining(`inferd: ${message}`) })
})

test('who is not there is named, and the operator’s own account stays unmetered', async () => {
  const { account } = await json('keys', 'create', '--name', 'mine')
  expect(await run('credit', 'bob@example.org', '1')).toMatchObject({
    code: 1,
    error: expect.stringContaining('there is no account "bob@example.org"'),
  })
  expect(await run('receipt', 'req_none')).toMatchObject({
    code: 1,
    error: expect.stringContaining('there is no record of request "req_none"'),
  })
  expect(await run('users', 'unmetered', account, 'off')).toMatchObject({
    code: 1,
    error: expect.stringContaining('stays unmetered'),
  })
  await run('users', 'create', email)
  expect(await run('users', 'create', 'Ada+x@Example.org')).toMatchObject({
    code: 1,
    error: expect.stringContaining('has an account already'),
  })
})

test('doctor names a damaged ledger and fails', async () => {
  await run('users', 'create', email)
  await run('credit', email, '5')
  damage("UPDATE ledger SET amount = 4000000000 WHERE kind = 'credit'")
  const { code, out, error } = await run('doctor')
  expect(code).toBe(1)
  expect(out).toMatch(/PROBLEM {2}account acc_\w+ has \$5, its ledger rows add up to \$4\n/)
  expect(error).toContain('2 problems found')
  expect(JSON.parse((await run('doctor', '--json')).out).problems.length).toBe(2)
})

test('doctor takes holds for a problem only when no server is there', async () => {
  await run('users', 'create', email)
  await run('credit', email, '5')
  damage(
    "INSERT INTO holds SELECT 'req_a', id, 1, 1 FROM accounts WHERE email IS NOT NULL; UPDATE accounts SET held = 1 WHERE email IS NOT NULL",
  )
  expect(await run('doctor')).toMatchObject({
    code: 1,
    out: expect.stringContaining('left 1 hold of $0.000000001'),
  })
  const lock = takeServerLock(join(data, 'server.lock'))
  expect(await run('doctor')).toMatchObject({
    code: 0,
    out: expect.stringContaining('1 hold of running requests, $0.000000001'),
  })
  lock?.[Symbol.dispose]()
})

test('doctor says whether ffmpeg is there', async () => {
  await run('users', 'create', email)
  const path = join(data, 'programs')
  const ask = (...words: string[]) => runCommand(['doctor', '--data', data, ...words], { PATH: path })
  expect(await ask()).toMatchObject({ code: 0, out: expect.stringContaining('There is no ffmpeg: m4a, mp4, aac') })
  mkdirSync(path)
  writeFileSync(join(path, 'ffmpeg'), '#!/bin/sh\n', { mode: 0o755 })
  expect((await ask()).out).toContain(`ok       ffmpeg decodes recordings: ${join(path, 'ffmpeg')}\n`)
  expect(JSON.parse((await ask('--json')).out)).toMatchObject({ ffmpeg: join(path, 'ffmpeg'), problems: [] })
})

test('a file that is no database, or damaged, is named in one line', async () => {
  await run('users', 'create', email)
  const path = join(data, 'inferd.db')
  const database = new Database(path)
  database.run('PRAGMA wal_checkpoint(TRUNCATE)')
  database.close()
  for (const suffix of ['-wal', '-shm']) rmSync(path + suffix, { force: true })
  const sound = readFileSync(path)
  writeFileSync(path, 'x'.repeat(9000))
  expect(await run('doctor')).toEqual({
    code: 1,
    out: '',
    error: `inferd: ${path} cannot be read as a database: file is not a database\n`,
  })
  writeFileSync(path, Buffer.from(sound).fill(0xff, 8192))
  const malformed = `inferd: ${path} cannot be used: database disk image is malformed\n`
  expect(await run('doctor')).toEqual({ code: 1, out: '', error: malformed })
  writeFileSync(path, Buffer.from(sound).fill(0xff, 40_960, 45_056))
  expect(await run('doctor')).toMatchObject({
    code: 1,
    out: expect.stringMatching(/^PROBLEM {2}the file is damaged: .*\n/),
  })
})

test('a database of an older version is brought up to date by whatever comes first', async () => {
  const database = new Database(join(data, 'inferd.db'), { create: true })
  database.run(migrations[0]?.sql ?? '')
  database.run("INSERT INTO accounts VALUES ('acc_old', NULL, 'operator', 1, 5)")
  database.run('PRAGMA user_version = 1')
  database.close()
  expect(await json('users', 'list')).toMatchObject([{ id: 'acc_old', isUnmetered: true, balanceUsd: '0' }])
  expect(existsSync(join(data, 'inferd.db.v1.backup'))).toBe(true)
})

test('a folder without a database is no empty one', async () => {
  expect(await run('users', 'list')).toMatchObject({
    code: 1,
    error: expect.stringContaining(`there is no database in ${data} yet`),
  })
  expect(existsSync(join(data, 'inferd.db'))).toBe(false)
})

test('a server that holds the lock and does not answer is waited for, and then named', async () => {
  const lock = takeServerLock(join(data, 'server.lock'))
  const target = { dataDir: data, baseUrl: '', actor: 'cli:test', rules: testRules, patienceMs: 150 }
  const call = () => perform(target, 'keys-create', { name: 'k' })
  const startedMs = performance.now()
  await expect(call()).rejects.toThrow(`another inferd works on ${data} and does not answer`)
  expect(performance.now() - startedMs).toBeGreaterThanOrEqual(target.patienceMs)
  const silent = Bun.serve({ unix: controlSocketPath(data), fetch: () => new Promise<Response>(() => undefined) })
  await expect(call()).rejects.toThrow(
    `the server of ${data} does not answer; 'inferd logs' may say why, 'inferd audit'`,
  )
  await silent.stop(true)
  lock?.[Symbol.dispose]()
  expect((await call()).name).toBe('k')
})

test('a server of another version is not asked to do anything', async () => {
  const answers = [
    () => Response.json({ error: 'not found' }, { status: 404 }),
    () => Response.json({ kind: 'other-version', version: '9.9.9' }),
  ]
  for (const fetch of answers) {
    const other = Bun.serve({ unix: controlSocketPath(data), fetch })
    expect(await run('keys', 'create', '--name', 'k')).toMatchObject({
      code: 1,
      error: expect.stringMatching(/of another version and this is|is inferd 9\.9\.9 and this is/),
    })
    await other.stop(true)
  }
})

test('the server itself refuses strange requests on its socket', async () => {
  await startServer()
  const { version } = await json('ps')
  const post = async (path: string, body: unknown) => {
    const answer = await fetch(`http://inferd${path}`, {
      unix: controlSocketPath(data),
      method: 'POST',
      body: typeof body === 'string' ? body : JSON.stringify(body),
    })
    return answer.json()
  }
  const request = { version, actor: 'cli:test', input: {} }
  expect(await post('/operations/ledger-credit', { ...request, version: '0' })).toEqual({
    kind: 'other-version',
    version,
  })
  expect(await post('/operations/ledger-credit', 'no json')).toEqual({ kind: 'other-version', version })
  expect(await post('/operations/ledger-credit', { ...request, actor: 'root' })).toEqual({
    kind: 'other-version',
    version,
  })
  expect(await post('/operations/ledger-credit', request)).toMatchObject({
    kind: 'refused',
    problem: { code: 'invalid_input', field: 'account' },
  })
  expect(await post('/operations/ledger-credit', { ...request, input: { account: email, amount: '1' } })).toEqual({
    kind: 'refused',
    problem: { code: 'not_found', what: 'account', name: email },
  })
  expect(await post('/operations/accounts-list', request)).toMatchObject({ kind: 'failed' })
  expect(await post('/operations/sessions-begin', request)).toMatchObject({ kind: 'failed' })
  expect(await post('/operations/toString', request)).toMatchObject({ kind: 'failed' })
  expect(await post('/elsewhere', request)).toEqual({ error: 'not found' })
})

test('requests that run are listed and cancelled, those that ended are told with why', async () => {
  const url = await startServer()
  const { key } = await json('keys', 'create', '--name', 'laptop')
  const paid = await chat(url, key)
  const content = JSON.stringify({ script: [{ text: 'one' }, { waitForCancel: true }] })
  const answer = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'test/fake', stream: true, messages: [{ role: 'user', content }] }),
  })
  const id = answer.headers.get('x-request-id') ?? ''
  expect((await json('requests', 'list')).rows).toMatchObject([{ id, state: 'running', keyName: 'laptop' }])
  expect((await run('requests', 'cancel', id)).out).toBe(`${id} was cancelled.\n`)
  expect(await answer.text()).toContain('request_cancelled')
  expect((await run('requests', 'list')).out).toBe('No requests.\n')
  expect((await run('requests', 'list', '--recent')).out).toContain('request_cancelled')
  expect((await run('requests', 'cancel', id)).code).toBe(1)
  expect((await run('models', 'restart', 'test/fake')).out).toBe('test/fake was restarted.\n')
  await stopServer('SIGTERM')
  const { rows } = await json('requests', 'list', '--paid')
  expect(rows.map((row: { id: string; finish: string; chargedUsd: string }) => [row.id, row.finish])).toEqual([
    [id, 'failed'],
    [paid, 'stop'],
  ])
  expect((await run('requests', 'list')).error).toContain('serve')
})
