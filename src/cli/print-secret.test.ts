/** Commands that show a secret once, with outputs that do not take it: real processes, with a server and without. */

import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { testRules } from '../testing/account-rules.ts'
import { runProgram } from '../testing/run-program.ts'
import { startServedProcess } from '../testing/served-process.ts'
import { testedProgram } from '../testing/tested-program.ts'
import { perform } from './perform.ts'
import { printSecret } from './print-secret.ts'

const badOutputs = { 'a full disk': '>/dev/full', 'a closed output': '>&-', '/dev/null': '>/dev/null' }

let stop: () => Promise<unknown>
let dataDir = ''

/** Runs a command with its output sent elsewhere, as a shell does. */
function inferd(words: string, redirection = '') {
  const command = `exec "$@" ${words} --data '${dataDir}' ${redirection}`
  return runProgram(['sh', '-c', command, 'sh', ...testedProgram], { HOME: tmpdir() })
}

const target = () => ({ dataDir, baseUrl: '', actor: 'cli:test', rules: testRules, patienceMs: 5_000 })

describe.each(['without a server', 'beside a server'])('%s', (where) => {
  beforeAll(async () => {
    if (where === 'beside a server') {
      const served = await startServedProcess()
      dataDir = served.dataDir
      stop = async () => served[Symbol.asyncDispose]()
    } else {
      dataDir = mkdtempSync(join(tmpdir(), 'inferd-secret-'))
      stop = async () => rmSync(dataDir, { recursive: true })
    }
  })
  afterAll(() => stop())

  test.each(Object.entries(badOutputs))('a key that %s did not take is revoked', async (output, redirection) => {
    const name = `lost-${output.replaceAll(/\W/g, '-')}`
    for (const flags of ['', '--json']) {
      const { code, error } = await inferd(`keys create --name ${name} ${flags}`, redirection)
      expect({ code, error }).toEqual({
        code: 1,
        error: expect.stringMatching(/^inferd: key key_\w+ could not be printed/),
      })
    }
    const keys = (await perform(target(), 'keys-list', {})).filter((key) => key.name === name)
    expect(keys.map(({ revokedAtMs }) => revokedAtMs !== null)).toEqual([true, true])
    expect((await inferd('keys create --name kept')).out).toMatch(/^sk-inferd-\w{40}\n$/)
  })

  test.each(Object.entries(badOutputs))('vouchers that %s did not take are revoked', async (_, redirection) => {
    const { code, error } = await inferd('vouchers create --amount 5 --count 3', redirection)
    expect({ code, error }).toEqual({ code: 1, error: expect.stringContaining('3 vouchers could not be printed') })
    const vouchers = await perform(target(), 'vouchers-list', { limit: 3 })
    expect(vouchers.map(({ revokedMs }) => revokedMs !== null)).toEqual([true, true, true])
  })

  test('a link that a full disk did not take is made again', async () => {
    const { id } = await perform(target(), 'accounts-create', { email: 'ada@example.org', isUnmetered: false })
    const database = new Database(join(dataDir, 'inferd.db'))
    database.run("INSERT INTO outbox (id, account_id, purpose, created) VALUES ('mail_a', ?, 'confirm', 0)", [id])
    database.close()
    const failed = await inferd('outbox --open mail_a', '>/dev/full')
    expect(failed).toMatchObject({ code: 1, error: expect.stringContaining('the link could not be printed') })
    expect((await inferd('outbox --open mail_a')).out).toMatch(/\/confirm\?token=\w{32}\n$/)
  })
})

test('a key that can neither be printed nor revoked is named', async () => {
  const lines: string[] = []
  const full = async () => {
    throw new Error('no space')
  }
  const io = {
    out: () => undefined,
    deliver: full,
    error: (text: string) => lines.push(text),
    environment: {},
    ask: async () => undefined,
  }
  const made = { text: 'secret\n', name: 'key key_1', revoke: full, revokeCommand: 'inferd keys revoke key_1' }
  const message = await printSecret(io, made).catch((error: Error) => error.message)
  expect(message).toBe(
    "key key_1 could not be printed (no space) and could not be revoked (no space); revoke it later: 'inferd keys revoke key_1'",
  )
  expect(lines).toEqual([])
})
