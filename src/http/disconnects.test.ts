/**
 * Charges of clients that disconnect from a real model: the use that the engine's own counters report, and nothing
 * else.
 */
import { afterAll, expect, test } from 'bun:test'
import { embeddedFilePath } from '../engines/runtime/runtime-paths.ts'
import { endBias } from '../testing/starter-engine.ts'
import { startTestServer } from '../testing/test-server.ts'

const pricing = {
  inputNanoUsd: 10_000_000,
  cachedInputNanoUsd: 4_000_000,
  outputNanoUsd: 30_000_000,
  unit: '1M_tokens',
} as const
const model = 'test/real'
const path = embeddedFilePath('', 'models/starter/starter-chat-q8_0.gguf') ?? ''

const server = startTestServer({
  models: { [model]: { manifest: { engine: 'llama', contextLength: 4096, pricing }, filePaths: { model: path } } },
  engine: { contextTokens: 4096, batchTokens: 32 },
})
afterAll(() => server[Symbol.asyncDispose]())

const counters = async () => {
  const stats = await server.pool.stats(model)
  return {
    prompt: (stats?.decodedPromptTokens ?? 0) + (stats?.reusedPromptTokens ?? 0),
    cached: stats?.reusedPromptTokens ?? 0,
    completion: stats?.generatedTokens ?? 0,
  }
}

interface Leaving {
  readonly content: string
  readonly maxTokens: number
  /** Tokens of the answer that the client reads before it disconnects */
  readonly afterTokens: number
}

/** Streams an answer and disconnects. Returns what the engine counted and what was charged. */
async function leave({ content, maxTokens, afterTokens }: Leaving) {
  const payer = server.payer(1_000_000_000)
  const before = await counters()
  const client = new AbortController()
  const response = await fetch(`${server.baseUrl}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${payer.key}` },
    body: JSON.stringify({
      model,
      stream: true,
      max_tokens: maxTokens,
      logprobs: true,
      temperature: 0,
      logit_bias: Object.fromEntries(endBias),
      repetition_detection: false,
      messages: [{ role: 'user', content }],
    }),
    signal: client.signal,
  })
  const requestId = response.headers.get('x-request-id') ?? ''
  expect(response.status).toBe(200)
  await readTokens(response, afterTokens)
  client.abort()
  await server.line((line) => line.requestId === requestId)
  const after = await counters()
  const record = server.stores.usage.find(requestId)
  const counted = {
    promptTokens: after.prompt - before.prompt,
    cachedTokens: after.cached - before.cached,
    completionTokens: after.completion - before.completion,
  }
  const { promptTokens, cachedTokens, completionTokens } = counted
  const price = (promptTokens - cachedTokens) * 10 + cachedTokens * 4 + completionTokens * 30
  expect(record).toMatchObject({ used: counted, chargedNanoUsd: price, costNanoUsd: price })
  expect(payer.money()).toEqual({ balance: 1_000_000_000 - price, held: 0 })
  return { ...counted, finish: record?.finish }
}

/** Returns the number of tokens of the whole prompt. */
async function countTokens(content: string): Promise<number> {
  const counted = await server.post('/v1/messages/count_tokens', { model, messages: [{ role: 'user', content }] })
  return Object(await counted.json()).input_tokens
}

/** Reads a stream up to its first chunk, then until `count` tokens have come. */
async function readTokens(response: Response, count: number): Promise<void> {
  const reader = response.body?.getReader()
  const decoder = new TextDecoder()
  let text = ''
  do {
    const piece = await reader?.read()
    if (piece === undefined || piece.done) return
    text += decoder.decode(piece.value, { stream: true })
  } while ((text.match(/"token":/g)?.length ?? 0) < count)
}

const greeting = 'Hello!'
const longText = 'The capital of France is Paris. '.repeat(200)

test('during the prompt: what of it had been processed', async () => {
  await countTokens(longText) // loads the model
  const { promptTokens, completionTokens, finish } = await leave({ content: longText, maxTokens: 50, afterTokens: 0 })
  expect({ completionTokens, finish }).toEqual({ completionTokens: 0, finish: 'client_disconnect' })
  expect(promptTokens).toBeGreaterThan(0)
  expect(promptTokens).toBeLessThan(await countTokens(longText))
})

test('in the middle of the output', async () => {
  // Length at which the server notices the disconnect before the end, also on a busy machine.
  const maxTokens = 3_000
  const { completionTokens, finish } = await leave({ content: longText.slice(0, 3_000), maxTokens, afterTokens: 5 })
  expect(finish).toBe('client_disconnect')
  expect(completionTokens).toBeGreaterThanOrEqual(5)
  expect(completionTokens).toBeLessThan(maxTokens)
})

test('one token before the end', async () => {
  const { completionTokens } = await leave({ content: greeting, maxTokens: 8, afterTokens: 7 })
  expect([7, 8]).toContain(completionTokens)
})
