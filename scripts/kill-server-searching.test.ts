/** A server killed while it searches the web between two passes of an answer: the next start charges nothing. */
import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { checkIntegrity } from '../src/billing/integrity.ts'
import { fakeSearxng } from '../src/testing/fake-searxng.ts'
import { moneyOf, openTestAccounts } from '../src/testing/test-accounts.ts'
import { type Serving, serve } from './kill-server/server-under-load.ts'

const manifest = `
id = "test/paid"
type = "chat"
engine = "fake"
[pricing]
input = 1
output = 1
unit = "1M_tokens"
`
const price = { token: 1_000, search: 5_000_000 }
const balance = 1_000_000_000
const searxng = fakeSearxng()
const usual = searxng.answer

let dataDir: string
let path: string
let server: Serving
let payer: { readonly accountId: string; readonly key: string }

beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'inferd-kill-'))
  path = join(dataDir, 'inferd.db')
  mkdirSync(join(dataDir, 'models.d'))
  writeFileSync(join(dataDir, 'models.d', 'paid.toml'), manifest)
  writeFileSync(join(dataDir, 'config.toml'), `search_url = "${searxng.url}"\nsearch_price = "0.005"\n`)
  using books = openTestAccounts(path, Date.now)
  payer = books.account(balance)
  server = await serve(dataDir)
}, 60_000)

afterAll(async () => {
  server.process.kill('SIGKILL')
  await server.process.exited
  await searxng[Symbol.asyncDispose]()
  rmSync(dataDir, { recursive: true })
})

const call = { tool: { name: 'web_search', arguments: ['{"query":"oslo"}'] } }
const content = JSON.stringify({ script: [{ text: 'a' }, call], afterTools: [{ text: 'b' }], promptTokens: 7 })
const requests = {
  messages: {
    model: 'test/paid',
    max_tokens: 50,
    messages: [{ role: 'user', content }],
    tools: [{ type: 'web_search_20250305', name: 'web_search' }],
  },
  responses: { model: 'test/paid', input: content, max_output_tokens: 50, tools: [{ type: 'web_search' }] },
  'alpha/search': { model: 'test/paid', commands: { search_query: [{ q: 'oslo' }] } },
}

function ask(endpoint: string, body: object): Promise<Response> {
  return fetch(`${server.baseUrl}/${endpoint}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${payer.key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
}

function money(): { balance: number; held: number } {
  using database = new Database(path, { readonly: true })
  expect(checkIntegrity(database).problems).toEqual([])
  return moneyOf(database, payer.accountId)
}

test.each(Object.entries(requests))(
  '%s: nothing stays held, and the next answer is paid exactly',
  async (name, body) => {
    const before = money()
    const searching = Promise.withResolvers<void>()
    searxng.answer = () => {
      searching.resolve()
      return new Promise(() => undefined)
    }
    const asked = ask(name, body).then(
      (answer) => answer.text().catch(() => 'broken'),
      () => 'broken',
    )
    await searching.promise
    expect(money().held).toBeGreaterThanOrEqual(price.search)
    server.process.kill('SIGKILL')
    await server.process.exited
    expect(await asked).toBe('broken')
    searxng.answer = usual
    server = await serve(dataDir)
    expect(money()).toEqual({ balance: before.balance, held: 0 })

    const answer = await ask(name, body)
    expect(answer.status).toBe(200)
    await answer.text()
    const tokens = name === 'alpha/search' ? 0 : 2 * 7 + 3
    expect(money()).toEqual({ balance: before.balance - tokens * price.token - price.search, held: 0 })
  },
  60_000,
)
