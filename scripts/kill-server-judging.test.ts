/** A server killed while another server judges contents or makes pictures: the next start owes and charges nothing. */
import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { checkIntegrity } from '../src/billing/integrity.ts'
import { moneyOf, openTestAccounts } from '../src/testing/test-accounts.ts'
import { until } from '../src/testing/until.ts'
import { type Serving, serve } from './kill-server/server-under-load.ts'

/** Answers to come. A request without one waits for ever. */
let answers: (() => Response)[] = []
let asked = 0
const behind = Bun.serve({
  port: 0,
  idleTimeout: 0,
  fetch(request) {
    if (request.method === 'GET') return Response.json({ data: [{ id: 'served' }] })
    asked++
    return answers.shift()?.() ?? new Promise<Response>(() => undefined)
  },
})

function manifest(type: string, pricing: string): string {
  return `
id = "test/${type}"
type = "${type}"
engine = "upstream"
context_length = 8192
[upstream]
flavor = "openai"
model = "served"
endpoints = ["${behind.url.origin}/v1"]
[pricing]
${pricing}`
}

const balance = 1_000_000_000
const pictureNanoUsd = 20_000_000
const judgedNanoUsd = 100 * 1_000 + 10 * 2_000

let dataDir: string
let path: string
let server: Serving
let payer: { readonly accountId: string; readonly key: string }

beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'inferd-kill-'))
  path = join(dataDir, 'inferd.db')
  mkdirSync(join(dataDir, 'models.d'))
  writeFileSync(join(dataDir, 'models.d', 'image.toml'), manifest('image', 'price = 0.02\nunit = "image"'))
  writeFileSync(join(dataDir, 'models.d', 'chat.toml'), manifest('chat', 'input = 1\noutput = 2\nunit = "1M_tokens"'))
  writeFileSync(join(dataDir, 'config.toml'), 'moderation_model = "test/chat"\n')
  using books = openTestAccounts(path, Date.now)
  payer = books.account(balance)
  server = await serve(dataDir)
}, 60_000)

afterAll(async () => {
  server.process.kill('SIGKILL')
  await server.process.exited
  await behind.stop(true)
  rmSync(dataDir, { recursive: true })
})

function ask(call: string, body: object): Promise<Response> {
  return fetch(`${server.baseUrl}/${call}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${payer.key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
}

function money(): { balance: number; held: number } {
  using database = new Database(path, { readonly: true })
  return moneyOf(database, payer.accountId)
}

function verdict(): Response {
  const events = [
    { choices: [{ index: 0, delta: { content: '{"violations":[]}' }, finish_reason: 'stop' }] },
    { choices: [], usage: { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 } },
  ]
  const text = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')
  return new Response(`${text}data: [DONE]\n\n`, { headers: { 'content-type': 'text/event-stream' } })
}

const picture = () => Response.json({ data: [{ b64_json: 'iVBORw0KGgoA' }] })

test.each<[what: string, call: string, body: object, before: typeof answers, after: typeof answers, cost: number]>([
  [
    'it judges the second of three texts',
    'moderations',
    { input: ['a', 'b', 'c'] },
    [verdict],
    [verdict, verdict, verdict],
    3 * judgedNanoUsd,
  ],
  ['it makes pictures', 'images/generations', { prompt: 'a', n: 3 }, [], [picture], pictureNanoUsd],
])(
  'killed while %s',
  async (_, call, body, before, after, cost) => {
    const had = money().balance
    answers = [...before]
    asked = 0
    const broken = ask(call, body).catch(() => 'broken')
    await until(
      'the server behind to be asked',
      () => asked,
      (count) => count > before.length,
    )
    expect(money()).toEqual({ balance: had, held: expect.any(Number) })
    expect(money().held).toBeGreaterThanOrEqual(cost)
    server.process.kill('SIGKILL')
    await server.process.exited
    expect(await broken).toBe('broken')
    server = await serve(dataDir)
    expect(money()).toEqual({ balance: had, held: 0 })

    answers = [...after]
    expect((await ask(call, body)).status).toBe(200)
    expect(money()).toEqual({ balance: had - cost, held: 0 })
    using database = new Database(path, { readonly: true })
    expect(checkIntegrity(database)).toMatchObject({ problems: [], openHolds: 0 })
  },
  60_000,
)
