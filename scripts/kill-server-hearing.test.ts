/** A server killed while it transcribes a recording, or in the chat after that: the next start charges nothing. */
import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { checkIntegrity } from '../src/billing/integrity.ts'
import { recording } from '../src/testing/recording.ts'
import { moneyOf, openTestAccounts } from '../src/testing/test-accounts.ts'
import { until } from '../src/testing/until.ts'
import { type Serving, serve } from './kill-server/server-under-load.ts'

const manifests = {
  deaf: 'type = "chat"\nengine = "fake"\n[pricing]\ninput = 1\noutput = 1\nunit = "1M_tokens"\n',
  ears: 'type = "stt"\nengine = "fake"\n[pricing]\nprice = 0.06\nunit = "minute"\n',
}
const balance = 1_000_000_000
const tokenNanoUsd = 1_000
const secondNanoUsd = 1_000_000

let dataDir: string
let path: string
let server: Serving
let payer: { readonly accountId: string; readonly key: string }

beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'inferd-kill-'))
  path = join(dataDir, 'inferd.db')
  mkdirSync(join(dataDir, 'models.d'))
  for (const [name, text] of Object.entries(manifests)) {
    writeFileSync(join(dataDir, 'models.d', `${name}.toml`), `id = "test/${name}"\n${text}`)
  }
  writeFileSync(join(dataDir, 'config.toml'), 'audio_fallback = "test/ears"\n')
  using books = openTestAccounts(path, Date.now)
  payer = books.account(balance)
  server = await serve(dataDir)
}, 60_000)

afterAll(async () => {
  server.process.kill('SIGKILL')
  await server.process.exited
  rmSync(dataDir, { recursive: true })
})

function ask(speech: readonly object[], chat: readonly object[]): Promise<Response> {
  const heard = recording(2, JSON.stringify({ transcribe: { script: speech } })).toString('base64')
  const messages = [
    { role: 'user', content: [{ type: 'input_audio', input_audio: { data: heard, format: 'wav' } }] },
    { role: 'user', content: JSON.stringify({ script: chat, promptTokens: 7 }) },
  ]
  return fetch(`${server.baseUrl}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${payer.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'test/deaf', messages, max_tokens: 50 }),
  })
}

function money(): { balance: number; held: number } {
  using database = new Database(path, { readonly: true })
  expect(checkIntegrity(database).problems).toEqual([])
  return moneyOf(database, payer.accountId)
}

const words = { output: { type: 'segment', text: 'hello', startSeconds: 0, endSeconds: 1 } }
const answer = [{ text: 'b' }]
const wait = { waitForCancel: true }

test.each<[when: string, speech: readonly object[], chat: readonly object[], least: number]>([
  ['it transcribes', [words, wait], answer, 2 * secondNanoUsd],
  ['the chat has what was transcribed', [words], [...answer, wait], 2 * secondNanoUsd + 7 * tokenNanoUsd],
])(
  'killed while %s: nothing stays held, and both are paid exactly the next time',
  async (_, speech, chat, least) => {
    const before = money()
    const asked = ask(speech, chat).then(
      (response) => response.text().catch(() => 'broken'),
      () => 'broken',
    )
    await until(
      'the money to be held',
      () => money().held,
      (held) => held >= least,
    )
    server.process.kill('SIGKILL')
    await server.process.exited
    expect(await asked).toBe('broken')
    server = await serve(dataDir)
    expect(money()).toEqual({ balance: before.balance, held: 0 })
    expect(readdirSync(join(dataDir, 'spool'))).toEqual([])

    const response = await ask([words], answer)
    expect(response.status).toBe(200)
    await response.text()
    const cost = 2 * secondNanoUsd + 8 * tokenNanoUsd
    expect(money()).toEqual({ balance: before.balance - cost, held: 0 })
  },
  60_000,
)
