/**
 * Messages of each command about a missing file, a wrong kind of file, a missing server and numbers that are too large.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runCommand } from '../testing/run-cli.ts'

let folder = ''
let data = ''

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'inferd-wrong-'))
  data = join(folder, 'data')
  writeFileSync(join(folder, 'pic.png'), '\x89PNG\r\n\x1a\n')
  mkdirSync(join(folder, 'empty'))
  await run('users create ada@example.org')
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** `@name` is a path in the test's folder. */
function run(words: string) {
  return runCommand(
    words.split(' ').map((word) => word.replace(/^@/, `${folder}/`)),
    { INFERD_DATA: data },
  )
}

test.each([
  ...[
    'list',
    'ps',
    'logs',
    'du',
    'gc',
    'verify',
    'doctor',
    'backup',
    'users list',
    'keys list',
    'keys create --name x',
  ],
  ...[
    'audit',
    'catalog check',
    'pull inferd/x',
    'bundle inventory',
    'models pin x',
    'serve',
    'import @pic.png --id a/b',
  ],
])('`inferd %s --data pic.png` says that this is a file', async (words) => {
  const picture = join(folder, 'pic.png')
  expect(await run(`${words} --data ${picture}`)).toEqual({
    ...{ code: 1, out: '', error: `inferd: ${picture} is a file; --data names a folder\n` },
  })
})

test.each([
  ['import @none --id a/b', '/none does not exist'],
  ['import @none --id a/b --mmproj @pic.png', '/none does not exist'],
  ['import @pic.png --id a/b', '/pic.png is not a model that inferd recognises'],
  ['import @empty --id a/b', '/empty is not a model that inferd recognises'],
  ['import @none --ollama llama3 --id a/b', 'there is no folder '],
  ['import @pic.png --id a/b --manifest @none', '/none is no manifest: cannot be read (ENOENT)'],
  ['restore @none', 'there is no file '],
  ['restore @pic.png', '/pic.png is no backup'],
  ['restore @empty', '/empty is a folder; name a backup in it'],
  ['restore @none --check', 'there is no file '],
  ['backup @pic.png', '/pic.png is there already'],
  ['backup @pic.png/x.tar', '/pic.png is no folder'],
  ['backup @none/x.tar', 'there is no folder '],
  ['bundle verify @none', 'there is no folder '],
  ['bundle verify @pic.png', '/pic.png; name the folder of a bundle'],
  ['bundle verify @empty', 'there is no manifest.json'],
  ['bundle install @none', 'there is no folder '],
  ['bundle create --to @none --executable @pic.png', 'there is no folder '],
  ['bundle create --to @pic.png --executable @pic.png', '/pic.png is no folder'],
  ['bundle keygen @none/key --no-password', 'there is no folder '],
])('`inferd %s` says %j', async (words, problem) => {
  const { code, out, error } = await run(words)
  expect({ code, out }).toEqual({ code: 1, out: '' })
  expect(error).toContain(problem)
  expect(error).not.toMatch(/ENOTDIR|EISDIR/)
  expect(error.split('\n')).toHaveLength(2)
  expect(existsSync(join(folder, 'none'))).toBe(false)
})

test.each([
  ...['ps', 'ps --json', 'logs', 'logs -f', 'admin link', 'endpoints', 'endpoints drain a/b http://x', 'requests list'],
  ...['requests list --recent', 'requests cancel req_x', 'models load inferd/starter-chat', 'models unload x'],
  ...['models restart x', 'outbox --test', 'outbox --retry mail_x'],
])('`inferd %s` without a server ends with 3 and says how one starts', async (words) => {
  const { code, error } = await run(words)
  expect(code).toBe(3)
  // The message goes on with other servers of this user, if any run.
  expect(error).toStartWith(`inferd: no server runs on ${data}; `)
})

test.each([
  ['credit ada@example.org 99999999999999', 'at most 5000000'],
  ['credit ada@example.org 5000001', 'at most 5000000'],
  ['vouchers create --amount 99999999999999', 'at most 5000000'],
  ['vouchers create --amount 5 --count 99999999999', 'from 1 to 1000'],
  ['vouchers create --amount 5 --expires-days 99999999999999999999', 'from 1 to 36500'],
  ['keys create --name a --expires-days 99999999999999999999', 'from 1 to 36500'],
  ['ledger list --limit 99999999999999999999', 'from 1 to 100000'],
  ['audit --limit 99999999999999999999', 'from 1 to 100000'],
  ['outbox --limit 99999999999999999999', 'from 1 to 100000'],
  ['usage --limit 99999999999999999999', 'from 1 to 100000'],
  ['vouchers list --limit 99999999999999999999', 'from 1 to 100000'],
  ['requests list --paid --limit 99999999999999999999', 'from 1 to 100000'],
  ['logs --lines 99999999999999999999', 'from 0 to 500'],
  ['check a/b --timeout 99999999999999999999', 'from 1 to 600'],
  ['serve --port 99999999999999999999', 'from 0 to 65535'],
])('`inferd %s` names the limit: %s', async (words, limit) => {
  expect(await run(words)).toMatchObject({ code: 2, out: '', error: expect.stringContaining(limit) })
})

test.each(['verify x', 'rm x', 'check x', 'catalog check x', 'bundle create x --to @empty', 'models pin x', 'pull x'])(
  '`inferd %s` of a model that there is not ends with 1 and says where they are listed, on a short line',
  async (words) => {
    const { code, error } = await run(words)
    expect(code).toBe(1)
    expect(error).toContain(`'inferd list --data ${data}'`)
    expect(error.length - data.length).toBeLessThan(200)
  },
)
