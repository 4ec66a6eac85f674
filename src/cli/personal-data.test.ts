import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runCommand } from '../testing/run-cli.ts'

const email = 'zebra@example.org'
let folder = ''
let data = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'inferd-person-'))
  data = join(folder, 'data')
})
afterEach(() => rmSync(folder, { recursive: true }))

function run(words: readonly string[], answers: readonly string[] = []) {
  return runCommand(words, { INFERD_DATA: data, SUDO_USER: 'grace' }, answers)
}

test('a person is exported into a private new file, and erased once somebody has agreed', async () => {
  await run(['users', 'create', email, '--name', 'Zebra'])
  const path = join(folder, 'zebra.json')
  expect(await run(['users', 'export', email, '--out', path])).toMatchObject({ code: 0, error: '' })
  expect(statSync(path).mode & 0o777).toBe(0o600)
  expect(JSON.parse(readFileSync(path, 'utf8'))).toMatchObject({ tables: { accounts: [{ name: 'Zebra' }] } })
  expect((await run(['users', 'export', email, '--out', path])).error).toContain('name a new file')

  expect(await run(['users', 'erase', email], ['no'])).toMatchObject({ code: 1 })
  expect(await run(['users', 'erase', email], ['yes'])).toMatchObject({ code: 0, error: '' })
  expect((await run(['users', 'show', email])).error).toContain('there is no account')
  const bytes = readdirSync(data).map((name) => readFileSync(join(data, name), 'latin1'))
  expect(bytes.join('').toLowerCase()).not.toContain('zebra')
})

test('the audit log is verified, exported, and compared with a row that was noted', async () => {
  await run(['users', 'create', email])
  const { out } = await run(['audit', 'verify', '--json'])
  const { id, chain } = JSON.parse(out).latest
  expect(await run(['audit', 'verify', '--known', `${id}:${chain}`])).toMatchObject({ code: 0, error: '' })
  const other = await run(['audit', 'verify', '--known', `${id}:${'0'.repeat(64)}`])
  expect(other).toMatchObject({ code: 1, error: expect.stringContaining('1 problem') })
  expect(await run(['audit', 'verify', '--known', 'x'])).toMatchObject({ code: 2 })

  const lines = (await run(['audit', 'export'])).out.trim().split('\n')
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({ id: 1, actor: 'cli:grace', action: 'account.create' })
  const csv = await run(['audit', 'export', '--format', 'csv', '--since', '2001-01-01'])
  expect(csv.out).toStartWith('id,createdMs,actor,action,accountId,details,salt,digest,chain\r\n1,')
  expect((await run(['audit', 'export', '--since', '2999-01-01'])).out).toBe('')
  expect(await run(['audit', 'export', '--format', 'xml'])).toMatchObject({ code: 2 })
})
