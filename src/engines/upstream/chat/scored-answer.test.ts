/** Scores of prompts by servers of each flavor, over real sockets: what is asked, answered and charged. */
import { afterAll, beforeEach, describe, expect, test } from 'bun:test'
import type { JsonObject } from '../../../core/json.ts'
import { type UpstreamFlavor, upstreamFlavors } from '../../../core/upstream.ts'
import { startTestServer } from '../../../testing/test-server.ts'
import { servedBy } from '../../../testing/upstream/upstream-host.ts'
import { embeddedFilePath } from '../../runtime/runtime-paths.ts'

const pricing = {
  inputNanoUsd: 10_000_000,
  cachedInputNanoUsd: 1_000_000,
  outputNanoUsd: 30_000_000,
  unit: '1M_tokens',
}
const asked: { readonly path: string; readonly body: JsonObject }[] = []
let answer: unknown
let status = 200

const behind = Bun.serve({
  port: 0,
  async fetch(request) {
    const { pathname } = new URL(request.url)
    if (pathname === '/v1/models') return Response.json({ data: [{ id: 'served' }] })
    if (request.method !== 'POST') return new Response('')
    asked.push({ path: pathname, body: (await request.json()) as JsonObject })
    return typeof answer === 'string' ? new Response(answer, { status }) : Response.json(answer, { status })
  },
})

/** A box with the starter model, behind another one. */
const box = startTestServer({
  models: {
    served: {
      manifest: { engine: 'llama', contextLength: 1024 },
      filePaths: { model: embeddedFilePath('', 'models/starter/starter-chat-q8_0.gguf') ?? '' },
    },
  },
  engine: { contextTokens: 4096, requestTokens: 1024, parallel: 4 },
})
const server = startTestServer({
  upstream: { readKey: async () => box.keys.valid },
  models: {
    ...Object.fromEntries(
      upstreamFlavors.map((flavor) => {
        const served = servedBy(flavor, [{ url: `${behind.url.origin}/v1` }], { contextLength: 4096 })
        return [`test/${flavor}`, { ...served, manifest: { ...served.manifest, pricing } }]
      }),
    ),
    'test/box': servedBy('inferd', [{ url: box.baseUrl }], { contextLength: 1024 }),
  },
})
afterAll(async () => {
  await server[Symbol.asyncDispose]()
  await box[Symbol.asyncDispose]()
  await behind.stop(true)
})
beforeEach(() => {
  asked.length = 0
  status = 200
})

async function ask(path: string, model: string, body: object, key = server.keys.valid) {
  const response = await fetch(server.baseUrl + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model, ...body }),
  })
  const text = await response.text()
  return { status: response.status, text, body: JSON.parse(text) as JsonObject }
}

const entry = (logprob: number, rank: number, decoded_token: string) => ({ logprob, rank, decoded_token })
/** vLLM's answer to the echo of "a b" with one alternative, and an answer of one token. */
const told = {
  choices: [
    {
      index: 0,
      text: 'a b!',
      finish_reason: 'length',
      logprobs: {
        tokens: ['a', ' b', '!'],
        token_logprobs: [null, -2.5, -0.25],
        top_logprobs: [null, { ' c': -0.5, ' b': -2.5 }, { '!': -0.25 }],
        text_offset: [0, 1, 3],
      },
      prompt_logprobs: [null, { 7: entry(-2.5, 4, ' b'), 9: entry(-0.5, 1, ' c') }],
    },
  ],
  usage: { prompt_tokens: 2, completion_tokens: 1, total_tokens: 3, prompt_tokens_details: { cached_tokens: 2 } },
}
const harness = { temperature: 0, max_tokens: 1, logprobs: 1, echo: true, seed: 1 }

test.each<[UpstreamFlavor, prompt: unknown, sent: JsonObject]>([
  ['vllm', [[5, 7]], { prompt: [5, 7], echo: true, logprobs: 1, prompt_logprobs: 1, max_tokens: 1 }],
  ['inferd', 'a b', { prompt: 'a b', echo: true, logprobs: 1, prompt_logprobs: 1, max_tokens: 1 }],
  ['sglang', [[5, 7]], { prompt: [5, 7], echo: true, logprobs: 1, max_tokens: 1 }],
])('%s is asked for an echo with log probabilities, whose lists come back', async (flavor, prompt, sent) => {
  answer = told
  const payer = server.payer(1_000_000)
  const found = await ask('/completions', `test/${flavor}`, { ...harness, prompt }, payer.key)
  expect(found.status).toBe(200)
  expect(asked).toHaveLength(1)
  expect(asked[0]?.body).toMatchObject(sent)
  expect(asked[0]?.body).not.toHaveProperty('stream')
  if (flavor === 'sglang') expect(asked[0]?.body).not.toHaveProperty('prompt_logprobs')
  const { logprobs } = told.choices[0] as (typeof told)['choices'][number]
  expect(found.body.choices).toEqual([
    expect.objectContaining({
      text: 'a b!',
      finish_reason: 'length',
      logprobs: { ...logprobs, text_offset: [0, 1, 3] },
    }),
  ])
  // All of the prompt has its full price, whatever the server's cache held.
  expect(found.body.usage).toMatchObject({ prompt_tokens: 2, prompt_tokens_details: { cached_tokens: 0 } })
  expect(payer.money()).toEqual({ balance: 1_000_000 - 2 * 10 - 30, held: 0 })
})

test('prompt_logprobs keep ids and ranks, the own token first', async () => {
  answer = { ...told, choices: [{ ...told.choices[0], text: '!', logprobs: null }] }
  const { text, body } = await ask('/completions', 'test/vllm', { prompt: [[5, 7]], max_tokens: 1, prompt_logprobs: 1 })
  expect(asked[0]?.body).toMatchObject({ prompt_logprobs: 1, max_tokens: 1 })
  expect(asked[0]?.body).not.toHaveProperty('echo')
  expect(text).toContain('"prompt_logprobs":[null,{"7":{"logprob":-2.5,"rank":4,"decoded_token":" b"},"9":')
  expect(body.choices).toMatchObject([{ text: '!' }])
})

test('a chat has them beside its choices, as vLLM has', async () => {
  const message = { role: 'assistant', content: 'Hi' }
  const scores = [null, { 7: entry(-2.5, 4, ' b'), 9: entry(-0.5, 1, ' c') }]
  answer = { choices: [{ index: 0, message, finish_reason: 'stop' }], prompt_logprobs: scores, usage: told.usage }
  const messages = [{ role: 'user', content: 'Hi' }]
  const { body } = await ask('/chat/completions', 'test/vllm', { messages, prompt_logprobs: 1 })
  expect(body).toMatchObject({
    choices: [{ message: { content: 'Hi' }, finish_reason: 'stop', prompt_logprobs: scores }],
    prompt_logprobs: scores,
  })
  const alone = await ask('/chat/completions', 'test/vllm', { messages, prompt_logprobs: 1, max_tokens: 0 })
  expect(asked.at(-1)?.body).toMatchObject({ max_tokens: 1 })
  expect(alone.body).toMatchObject({
    choices: [{ message: { content: '' }, finish_reason: 'length' }],
    usage: { completion_tokens: 0 },
  })
})

test.each<[UpstreamFlavor, path: string, body: object, param: string]>([
  ['llamacpp', '/completions', { ...harness, prompt: 'a' }, 'logprobs'],
  ['trtllm', '/completions', { ...harness, prompt: 'a' }, 'logprobs'],
  ['openai', '/completions', { prompt: 'a', prompt_logprobs: 1 }, 'prompt_logprobs'],
  ['sglang', '/completions', { prompt: 'a', prompt_logprobs: 1 }, 'prompt_logprobs'],
  ['sglang', '/completions', { ...harness, prompt: 'a', prompt_logprobs: 1 }, 'prompt_logprobs'],
  ['sglang', '/chat/completions', { prompt_logprobs: 1 }, 'prompt_logprobs'],
  ['llamacpp', '/completions', { prompt: 'a', echo: true, max_tokens: 0 }, 'max_tokens'],
  ['llamacpp', '/completions', { prompt: 'a', return_tokens_as_token_ids: true }, 'return_tokens_as_token_ids'],
  ['vllm', '/completions', { prompt: Array(100).fill(Array(1000).fill(5)), prompt_logprobs: 20 }, 'prompt'],
])('%s: refusal %#, before anything is paid', async (flavor, path, body, param) => {
  const messages = path === '/completions' ? {} : { messages: [{ role: 'user', content: 'Hi' }] }
  const found = await ask(path, `test/${flavor}`, { ...messages, ...body })
  expect(found).toMatchObject({ status: 400, body: { error: { param } } })
  expect(asked).toEqual([])
})

const [choice] = told.choices
test.each<[why: string, answer: unknown, status: number, code: string]>([
  ['has no choice', { choices: [] }, 200, 'engine_failed'],
  ['does not score', { ...told, choices: [{ text: 'a b', logprobs: null }] }, 200, 'engine_failed'],
  [
    'scores too little',
    { ...told, choices: [{ ...choice, prompt_logprobs: [null, {}], logprobs: null }] },
    200,
    'engine_failed',
  ],
  ['does not echo', { ...told, choices: [{ ...choice, text: 'b' }] }, 200, 'engine_failed'],
  ['scores what is no number', { choices: [{ text: 'a b', prompt_logprobs: [null, { x: 1 }] }] }, 200, 'engine_failed'],
  ['answers with a list', [], 200, 'engine_failed'],
  ['answers with a page', '<html>', 200, 'engine_failed'],
  ['fails', '', 500, 'engine_failed'],
  [
    'finds the prompt too long',
    {
      error: {
        message:
          "This model's maximum context length is 1 tokens. However, you requested 2 tokens (2 in the messages, 0 in the completion)",
      },
    },
    400,
    'context_length_exceeded',
  ],
])('a server that %s charges nothing', async (_, given, givenStatus, code) => {
  answer = given
  status = givenStatus
  const payer = server.payer(1_000_000)
  const found = await ask('/completions', 'test/vllm', { ...harness, prompt: 'a b' }, payer.key)
  expect(found.body).toMatchObject({ error: { code } })
  expect(payer.money()).toEqual({ balance: 1_000_000, held: 0 })
})

/** Leaves offsets out: tokens that are named by their ids have no length that a box in front could know. */
function withoutOffsets(choices: unknown): unknown {
  const text = JSON.stringify(choices)
  return JSON.parse(
    text.includes('token_id:') ? text.replaceAll(/"text_offset":\[[\d,]*\]/g, '"text_offset":[]') : text,
  )
}

describe('a box behind a box', () => {
  test.each<[string, string, object]>([
    ['the request of an evaluation', '/completions', { ...harness, prompt: [[349, 1376, 88, 296, 791]] }],
    ['a text', '/completions', { ...harness, prompt: 'The sky is blue', max_tokens: 3 }],
    ['ids for names', '/completions', { ...harness, prompt: [[349, 1376, 88]], return_tokens_as_token_ids: true }],
    ['ids for a text', '/completions', { ...harness, prompt: 'The sky is blue', return_tokens_as_token_ids: true }],
    ['several prompts', '/completions', { ...harness, prompt: ['The sky', 'is blue'], max_tokens: 0 }],
    ['parts of characters', '/completions', { ...harness, prompt: 'Grüße 🙂' }],
    [
      'prompt_logprobs',
      '/completions',
      { prompt: 'The sky is blue', max_tokens: 2, prompt_logprobs: 3, temperature: 0 },
    ],
    ['prompt_logprobs alone', '/completions', { prompt: [[349, 1376, 88]], max_tokens: 0, prompt_logprobs: 0 }],
    ['a prompt alone', '/completions', { prompt: 'The sky', max_tokens: 0, echo: true }],
    ['a chat', '/chat/completions', { messages: [{ role: 'user', content: 'Hi' }], max_tokens: 0, prompt_logprobs: 0 }],
  ])('answers as the box: %s', async (_, path, body) => {
    const direct = await (await box.post(`/v1${path}`, { model: 'served', ...body })).json()
    const through = await ask(path, 'test/box', body)
    const { choices, usage } = direct as JsonObject
    const { completion_tokens } = usage as JsonObject
    expect(withoutOffsets(through.body.choices)).toEqual(withoutOffsets(choices))
    expect(through.body.usage).toMatchObject({ completion_tokens, prompt_tokens_details: { cached_tokens: 0 } })
  })
})
