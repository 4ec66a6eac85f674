/** Chats of an upstream model, from the server's messages over real sockets and back. */
import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inflateSync } from 'node:zlib'
import type { ChatEvent, ChatRequest } from '../../../core/chat.ts'
import { textContent } from '../../../core/content.ts'
import { ApiError } from '../../../core/errors.ts'
import type { UpstreamFlavor } from '../../../core/upstream.ts'
import { type Consumption, nothingConsumed } from '../../../core/usage.ts'
import { chatRequest } from '../../../testing/chat-request.ts'
import { testPool } from '../../../testing/engine-pool.ts'
import { lastOf } from '../../../testing/grants.ts'
import { testManifest } from '../../../testing/test-manifest.ts'
import { type FakeUpstream, startFakeUpstream } from '../../../testing/upstream/fake-upstream.ts'
import { servedBy } from '../../../testing/upstream/upstream-host.ts'
import type { EngineMeter } from '../../protocol/work-engines.ts'
import { firstLimit } from './stream-answer.ts'

const folder = mkdtempSync(join(tmpdir(), 'inferd-chat-work-'))
const pool = testPool()
afterAll(async () => {
  await pool.stop()
  rmSync(folder, { recursive: true })
})

let models = 0

interface Run {
  readonly flavor?: UpstreamFlavor
  readonly request?: Partial<ChatRequest>
  readonly grantedTokens?: number
  readonly signal?: AbortSignal
}

/** Runs a chat with a model of its own id. */
function run(upstream: FakeUpstream, script: unknown, options: Run = {}) {
  const { flavor = 'vllm', request, grantedTokens = 100, signal = new AbortController().signal } = options
  const { manifest } = servedBy(flavor, [upstream], { type: 'vision', contextLength: 1000 })
  const model = { manifest: testManifest({ ...manifest, id: `test/behind-${models++}` }), filePaths: {} }
  const paid: Consumption[] = []
  const { limit } = lastOf(grantedTokens)
  const meter: EngineMeter = {
    begin: async () => ({ limit: { ...limit, promptTokens: 500 }, isFinal: true }),
    extend: () => Promise.reject(new Error('there is one grant alone')),
    cancelled: (used) => paid.push(used),
  }
  const messages = [{ role: 'user', content: textContent(JSON.stringify({ script })) }] as const
  const work = { kind: 'chat', request: chatRequest({ messages, ...request }) } as const
  return { paid, events: pool.run(model, work, { accountId: 'acc', signal, meter }) }
}

const finishOf = (events: readonly ChatEvent[]) => events.find((event) => event.type === 'choice-finish')

/** Makes a server refuse answers above `room` tokens, with these words. */
function refusing(upstream: FakeUpstream, room: number, words: (asked: number) => string): void {
  upstream.always = (exchange, play) => {
    const { max_tokens: asked } = exchange.json() as { max_tokens: number }
    return asked <= room ? play() : exchange.answer(400, { error: { message: words(asked), code: 400 } })
  }
}

test('an answer that does not fit beside the prompt is asked for once more, as long as fits', async () => {
  await using upstream = await startFakeUpstream({ flavor: 'vllm' })
  refusing(
    upstream,
    40,
    (asked) =>
      `'max_tokens' is too large: ${asked}. This model's maximum context length is 60 tokens and your request has 20 input tokens`,
  )
  const script = Array.from({ length: 60 }, () => ({ text: 'a' }))
  const events = await Array.fromAsync(run(upstream, script, { request: { maxTokens: 90 } }).events)
  expect(upstream.records.map(({ body }) => body.max_tokens)).toEqual([90, 40])
  expect(finishOf(events)).toMatchObject({ reason: 'length', isContextFull: true })
})

test('what the client has seen of an answer is not asked for again, whatever the server says then', async () => {
  await using upstream = await startFakeUpstream({ flavor: 'vllm' })
  upstream.always = async (exchange) => {
    await exchange.begin()
    await exchange.event({ choices: [{ index: 0, delta: { content: 'One' }, finish_reason: null }] })
    const message = 'maximum context length is 60 tokens and your request has 20 input tokens'
    await exchange.event({ error: { code: 400, message } })
    await exchange.end()
  }
  const seen: ChatEvent[] = []
  const read = async () => {
    for await (const event of run(upstream, [], { request: { maxTokens: 90 } }).events) seen.push(event)
  }
  await expect(read()).rejects.toBeInstanceOf(ApiError)
  expect(seen.filter(({ type }) => type === 'text-delta').length).toBe(1)
  expect(upstream.records.length).toBe(1)
})

test('where the server does not say what fits, shorter answers are asked for until one does', async () => {
  await using upstream = await startFakeUpstream({ flavor: 'vllm' })
  refusing(
    upstream,
    30,
    () => "This model's maximum context length is 100 tokens. However, your prompt contains at least 11 input tokens",
  )
  const { events } = run(upstream, [{ text: 'a' }], { request: { maxTokens: 90 } })
  expect(finishOf(await Array.fromAsync(events))).toMatchObject({ reason: 'stop' })
  // Half of the refused limit, or more if that certainly fits beside the prompt's estimate.
  expect(upstream.records.map(({ body }) => body.max_tokens)).toEqual([90, 64, 32, 16])
})

test('a first limit is what was granted, less what the prompt usually takes, while that leaves half of the context', () => {
  const prompt = { leastTokens: 100, usualTokens: 500, mostTokens: 900 }
  expect(firstLimit(50, 6_400, prompt)).toBe(50)
  expect(firstLimit(100_000, 6_400, prompt)).toBe(6_400 - 500 - 100)
  expect(firstLimit(100_000, 1_000, prompt)).toBe(1_000 - 100)
  expect(firstLimit(100_000, 50, prompt)).toBe(1)
})

test('a prompt that is too long alone is the client’s matter, in the usual words', async () => {
  await using upstream = await startFakeUpstream({ flavor: 'sglang' })
  refusing(upstream, 0, () => "The input (5000 tokens) is longer than the model's context length (4096 tokens).")
  const { events } = run(upstream, [{ text: 'a' }], { flavor: 'sglang' })
  const error = await Array.fromAsync(events).catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(ApiError)
  expect(error).toMatchObject({ code: 'context_length_exceeded', length: { promptTokens: 5000, limitTokens: 4096 } })
  expect(upstream.records.length).toBe(1)
  const prompts = [{ kind: 'text', text: 'a', param: 'prompt[0]' } as const]
  const raw = run(upstream, [], { flavor: 'sglang', request: { messages: [], prompts } })
  const rawError = await Array.fromAsync(raw.events).catch((thrown: unknown) => thrown)
  expect(rawError).toMatchObject({ code: 'context_length_exceeded', param: 'prompt[0]' })
})

test('a server that goes on beyond the limit is cut off there', async () => {
  await using upstream = await startFakeUpstream({ flavor: 'vllm' })
  upstream.always = async (exchange) => {
    await exchange.begin()
    for (let tokens = 1; !exchange.isClosed; tokens++) {
      const usage = { prompt_tokens: 5, completion_tokens: tokens, total_tokens: tokens + 5 }
      await exchange.event({ choices: [{ index: 0, delta: { content: 'a' }, finish_reason: null }], usage })
    }
  }
  const { events } = run(upstream, [], { grantedTokens: 10 })
  const all = await Array.fromAsync(events)
  expect(all.filter(({ type }) => type === 'text-delta').length).toBe(10)
  expect(finishOf(all)).toMatchObject({ reason: 'length' })
  expect(all.at(-1)).toMatchObject({ type: 'finish', usage: { promptTokens: 5, completionTokens: 10 } })
  await upstream.records[0]?.exchange.ended
})

test('an answer that ends at less than its limit has filled the context, wherever the server counts it', async () => {
  await using upstream = await startFakeUpstream({ flavor: 'openai' })
  const usageOf = (completion_tokens: number) => ({ prompt_tokens: 5, completion_tokens, total_tokens: 5 })
  for (const [tokens, isContextFull] of [
    [100, undefined],
    [99, undefined],
    [40, true],
  ] as const) {
    const hasText = Promise.withResolvers<void>()
    upstream.queue.push(async (exchange) => {
      await exchange.begin()
      await exchange.event({ choices: [{ index: 0, delta: { content: 'Hi' }, finish_reason: 'length' }] })
      await hasText.promise
      await exchange.event({ choices: [], usage: usageOf(tokens) })
      exchange.cut()
    })
    const all: ChatEvent[] = []
    for await (const event of run(upstream, [], { flavor: 'openai' }).events) {
      all.push(event)
      if (event.type === 'text-delta') hasText.resolve()
    }
    expect(finishOf(all)).toEqual({
      ...{ type: 'choice-finish', choice: 0, reason: 'length' },
      ...(isContextFull && { isContextFull }),
    })
    expect(all.at(-1)).toMatchObject({ type: 'finish', usage: { completionTokens: tokens } })
  }
})

test('an answer without a count of its server is estimated: its prompt by characters, itself by pieces', async () => {
  await using upstream = await startFakeUpstream({ flavor: 'openai', quirks: { usage: 'none' } })
  const { events } = run(upstream, [{ text: 'One' }, { text: ' two' }], { flavor: 'openai' })
  const last = (await Array.fromAsync(events)).at(-1)
  const characters = JSON.stringify({ script: [{ text: 'One' }, { text: ' two' }] }).length
  const promptTokens = Math.ceil(characters / 3) + 4
  expect(last).toEqual({
    type: 'finish',
    usage: { ...nothingConsumed, promptTokens, completionTokens: 2 },
    isEstimated: true,
  })
})

test('an answer that is whole does not wait long for a stream without an end', async () => {
  await using upstream = await startFakeUpstream({ flavor: 'openai' })
  upstream.always = async (exchange) => {
    await exchange.begin()
    await exchange.event({ choices: [{ index: 0, delta: { content: 'Hi' }, finish_reason: 'stop' }] })
    while (!exchange.isClosed) {
      await exchange.event({ choices: [] })
      await Promise.race([Bun.sleep(100), exchange.ended])
    }
  }
  const all = await Array.fromAsync(run(upstream, [], { flavor: 'openai' }).events)
  expect(finishOf(all)).toMatchObject({ reason: 'stop' })
  expect(all.at(-1)?.type).toBe('finish')
})

test('choices are calls side by side, and one that fails ends the others', async () => {
  await using upstream = await startFakeUpstream({ flavor: 'vllm' })
  upstream.queue.push(
    async (_, play) => {
      await upstream.record(2)
      await play()
    },
    (exchange) => exchange.ended,
    (exchange) => exchange.answer(500, {}),
  )
  const { events } = run(upstream, [{ text: 'Hi' }], { request: { choices: 3 } })
  const error = await Array.fromAsync(events).catch((thrown: unknown) => thrown)
  expect(error).toMatchObject({ code: 'engine_failed' })
  await upstream.records[1]?.exchange.ended
  expect(upstream.records.map(({ body }) => body.max_tokens)).toEqual([33, 33, 33])
})

test('a picture that was decoded here is sent as PNG', async () => {
  await using upstream = await startFakeUpstream({ flavor: 'vllm' })
  const path = join(folder, 'picture')
  writeFileSync(path, Buffer.concat([Buffer.from('P6\n2 1\n255\n'), Buffer.from([1, 2, 3, 4, 5, 6])]))
  const picture = { type: 'image', path, hash: 'h', detail: 'auto', width: 2, height: 1, orientation: 1 } as const
  const content = [{ type: 'text', text: '{"script":[]}' } as const, { ...picture, param: 'messages[0]' }]
  const { events } = run(upstream, [], { request: { messages: [{ role: 'user', content }] } })
  await Array.fromAsync(events).catch(() => undefined)
  const sent = JSON.stringify(upstream.records[0]?.body)
  const [, base64 = ''] = /data:image\/png;base64,([^"]+)"/.exec(sent) ?? []
  const png = Buffer.from(base64, 'base64')
  const at = png.indexOf('IDAT')
  expect(inflateSync(png.subarray(at + 4, at + 4 + png.readUInt32BE(at - 4)))).toEqual(
    Buffer.from([0, 1, 2, 3, 4, 5, 6]),
  )
  expect(png.subarray(16, 24)).toEqual(Buffer.from([0, 0, 0, 2, 0, 0, 0, 1]))
})

test('a connection is kept when its stream ends as it should', async () => {
  await using upstream = await startFakeUpstream({ flavor: 'vllm' })
  upstream.always = async (exchange) => {
    await exchange.begin()
    await exchange.event({ choices: [{ index: 0, delta: { content: 'a' }, finish_reason: 'stop' }] })
    await exchange.event('[DONE]')
    // The end of the body arrives later than the last event.
    await Bun.sleep(10)
    await exchange.end()
  }
  await Array.fromAsync(run(upstream, []).events)
  await upstream.records[0]?.exchange.ended
  expect(upstream.records[0]?.exchange.isClosed).toBeFalse()
})

test('a prompt that comes with the answer is no part of its limit', async () => {
  await using upstream = await startFakeUpstream({ flavor: 'openai' })
  upstream.always = async (exchange) => {
    await exchange.begin()
    await exchange.event({ choices: [{ index: 0, text: 'word '.repeat(200), finish_reason: null }] })
    await exchange.event({ choices: [{ index: 0, text: 'a', finish_reason: 'stop' }] })
    await exchange.event('[DONE]')
    await exchange.end()
  }
  const prompts = [{ kind: 'tokens', tokens: Array.from({ length: 200 }, () => 7), param: 'prompt' } as const]
  const request = { messages: [], prompts, echoesPrompt: true, maxTokens: 5 }
  const all = await Array.fromAsync(run(upstream, [], { flavor: 'openai', request }).events)
  expect(finishOf(all)).toMatchObject({ reason: 'stop' })
})
