/** Charges for pictures, however the request ends: the service with the starter model and accounts that pay. */
import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test'
import { join } from 'node:path'
import type { Clock } from '../core/clock.ts'
import { paint, toDataUrl, toPng } from '../testing/pictures.ts'
import { starterProjector } from '../testing/starter-engine.ts'
import { type Payer, startTestServer, type TestServer } from '../testing/test-server.ts'

const model = 'test/sees'
const tokenNanoUsd = 1_000_000
const price = tokenNanoUsd * 1_000_000
const pricing = { inputNanoUsd: price, cachedInputNanoUsd: price, outputNanoUsd: price, unit: '1M_tokens' } as const
const filePaths = {
  model: join(import.meta.dir, '../../models/starter/starter-chat-q8_0.gguf'),
  mmproj: starterProjector,
}
const plenty = 1_000_000 * tokenNanoUsd
/** Time limit of a test on a busy machine */
const limitMs = 60_000

/** Returns a clock whose timers fire when the test calls `ring`. */
function manualClock() {
  const timers = new Set<() => void>()
  const clock: Clock = {
    nowMs: () => performance.now(),
    after: (_, callback) => {
      timers.add(callback)
      return () => timers.delete(callback)
    },
  }
  const ring = (times: number) => {
    for (let time = 0; time < times; time++) {
      for (const callback of [...timers]) {
        timers.delete(callback)
        callback()
      }
    }
  }
  return { clock, ring }
}

const { clock, ring } = manualClock()
let server: TestServer

beforeAll(() => {
  server = startTestServer({
    models: { [model]: { manifest: { type: 'vision', engine: 'llama', pricing }, filePaths } },
    engine: { contextTokens: 4096 },
    pool: { clock },
  })
})

afterEach(async () => {
  await server.drained()
  expect(server.spooled()).toEqual([])
})

afterAll(() => server[Symbol.asyncDispose]())

function picture(seed: number, side = 32): string {
  return toDataUrl(toPng(paint(side, side, (x, y) => [(x * seed) % 256, (y * seed) % 256, seed % 256])))
}

interface Body {
  readonly usage: { readonly prompt_tokens: number; readonly completion_tokens: number }
  readonly error?: { readonly code: string }
  readonly choices: readonly {
    readonly message: {
      readonly content: string
      readonly tool_calls?: readonly { readonly function: { readonly arguments: string } }[]
    }
  }[]
}

async function ask({ key }: Payer, urls: readonly string[], more: object = {}) {
  const pictures = urls.map((url) => ({ type: 'image_url', image_url: { url } }))
  const messages = [{ role: 'user', content: [...pictures, { type: 'text', text: 'What is it?' }] }]
  const body = { model, messages, max_tokens: 4, reasoning_effort: 'none', ...more }
  const response = await server.post('/v1/chat/completions', body, { authorization: `Bearer ${key}` })
  return { status: response.status, body: (await response.json()) as Body }
}

const encoded = async () => (await server.pool.stats(model))?.encodedPictures ?? 0

test(
  'what is counted beforehand is what is used and paid',
  async () => {
    const payer = server.payer(plenty)
    const source = { type: 'base64', media_type: 'image/png', data: picture(3).split(',')[1] }
    const content = [
      { type: 'image', source },
      { type: 'text', text: 'What is it?' },
      { type: 'image', source },
    ]
    const asked = { model, messages: [{ role: 'user', content }] }
    const headers = { authorization: `Bearer ${payer.key}` }
    const counted = await (await server.post('/v1/messages/count_tokens', asked, headers)).json()
    expect([await encoded(), payer.money()]).toEqual([0, { balance: plenty, held: 0 }])
    const answer = await server.post('/v1/messages', { ...asked, max_tokens: 3 }, headers)
    const { usage } = (await answer.json()) as { usage: { input_tokens: number; output_tokens: number } }
    expect(counted).toMatchObject({ input_tokens: usage.input_tokens })
    expect(usage.input_tokens).toBeGreaterThan(2 * 64)
    await server.drained()
    const paid = (usage.input_tokens + usage.output_tokens) * tokenNanoUsd
    expect(payer.money()).toEqual({ balance: plenty - paid, held: 0 })
  },
  limitMs,
)

test(
  'an account that cannot pay for its pictures is refused before any is encoded',
  async () => {
    const payer = server.payer(100 * tokenNanoUsd)
    const before = await encoded()
    expect((await ask(payer, [picture(5), picture(6)])).status).toBe(402)
    expect([await encoded(), payer.money()]).toEqual([before, { balance: 100 * tokenNanoUsd, held: 0 }])
  },
  limitMs,
)

test(
  'pictures go together with tools and with answers that keep to a schema',
  async () => {
    const payer = server.payer(plenty)
    const schema = {
      type: 'object',
      properties: { shape: { enum: ['circle', 'square'] } },
      required: ['shape'],
      additionalProperties: false,
    }
    const tools = [{ type: 'function', function: { name: 'draw', parameters: schema } }]
    const long = { max_tokens: 64, temperature: 0 }
    const called = await ask(payer, [picture(7)], { ...long, tools, tool_choice: 'required' })
    const written = await ask(payer, [picture(7)], {
      ...{ ...long, tools, tool_choice: 'none' },
      response_format: { type: 'json_schema', json_schema: { name: 'answer', strict: true, schema } },
    })
    const texts = [
      called.body.choices[0]?.message.tool_calls?.[0]?.function.arguments ?? '',
      written.body.choices[0]?.message.content ?? '',
    ]
    for (const text of texts) expect(['circle', 'square']).toContain(JSON.parse(text).shape)
  },
  limitMs,
)

test(
  'several accounts ask about large pictures at once, and each pays what it used',
  async () => {
    const payers = Array.from({ length: 4 }, () => server.payer(plenty))
    const answers = await Promise.all(
      payers.map((payer, index) => ask(payer, [picture(11 + index, 1200), picture(21, 900)])),
    )
    await server.drained()
    for (const [index, { status, body }] of answers.entries()) {
      expect(status).toBe(200)
      const paid = (body.usage.prompt_tokens + body.usage.completion_tokens) * tokenNanoUsd
      expect(payers[index]?.money()).toEqual({ balance: plenty - paid, held: 0 })
    }
  },
  limitMs,
)

test(
  'an engine that hangs over pictures is killed, the next one answers, and what that computed is paid',
  async () => {
    const payer = server.payer(plenty)
    const before = await encoded()
    const ended = ask(
      payer,
      Array.from({ length: 40 }, (_, index) => picture(31 + index, 256)),
    )
    while ((await encoded()) === before) await new Promise(setImmediate)
    process.kill(server.pool.status()[0]?.pid ?? 0, 'SIGSTOP')
    ring(5)
    const { status, body } = await ended
    expect(status).toBe(200)
    expect(server.pool.status()[0]?.lastExit).toStartWith('killed: it did not answer for 20 s')
    await server.drained()
    const paid = (body.usage.prompt_tokens + body.usage.completion_tokens) * tokenNanoUsd
    expect(payer.money()).toEqual({ balance: plenty - paid, held: 0 })
  },
  limitMs,
)
