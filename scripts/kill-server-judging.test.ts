/** A server killed while another server judges contents or makes pictures: the next start owes and charges nothing. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { until } from '../src/testing/until.ts'
import { type KilledServer, startKilledServer } from './kill-server/killed-server.ts'

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

const pictureNanoUsd = 20_000_000
const judgedNanoUsd = 100 * 1_000 + 10 * 2_000

let server: KilledServer

beforeAll(async () => {
  const image = manifest('image', 'price = 0.02\nunit = "image"')
  const chat = manifest('chat', 'input = 1\noutput = 2\nunit = "1M_tokens"')
  server = await startKilledServer({ manifests: { image, chat }, config: 'moderation_model = "test/chat"\n' })
}, 60_000)

afterAll(async () => {
  await server[Symbol.asyncDispose]()
  await behind.stop(true)
})

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
    const had = server.money().balance
    answers = [...before]
    asked = 0
    const broken = server.ask(call, body).catch(() => 'broken')
    await until(
      'the server behind to be asked',
      () => asked,
      (count) => count > before.length,
    )
    expect(server.money()).toEqual({ balance: had, held: expect.any(Number) })
    expect(server.money().held).toBeGreaterThanOrEqual(cost)
    await server.kill()
    expect(await broken).toBe('broken')
    await server.restart()
    expect(server.money()).toEqual({ balance: had, held: 0 })

    answers = [...after]
    expect((await server.ask(call, body)).status).toBe(200)
    expect(server.money()).toEqual({ balance: had - cost, held: 0 })
  },
  60_000,
)
