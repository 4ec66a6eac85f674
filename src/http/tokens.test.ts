/** Tokens, their texts, prompts and facts of a tokenizer, by a real model and by the fake one. */
import { afterAll, expect, test } from 'bun:test'
import { embeddedFilePath } from '../engines/runtime/runtime-paths.ts'
import { startTestServer, type TestServer } from '../testing/test-server.ts'
import { servedBy } from '../testing/upstream/upstream-host.ts'

const filePaths = { model: embeddedFilePath('', 'models/starter/starter-chat-q8_0.gguf') ?? '' }
const pricing = { inputNanoUsd: 10_000_000, outputNanoUsd: 30_000_000, unit: '1M_tokens' } as const
const model = 'test/real'
const server = startTestServer({
  models: { [model]: { manifest: { engine: 'llama', contextLength: 2048, pricing }, filePaths } },
  engine: { contextTokens: 2048, requestTokens: 512, parallel: 2 },
})
const front = startTestServer({
  models: { [model]: servedBy('inferd', [{ url: server.baseUrl }], { upstream: { model } }) },
  upstream: { readKey: async () => server.keys.valid },
})
afterAll(async () => {
  await front[Symbol.asyncDispose]()
  await server[Symbol.asyncDispose]()
})

async function ask<Answer>(path: string, body: object, status = 200, { post }: Pick<TestServer, 'post'> = server) {
  const response = await post(path, body)
  const answer = await response.json()
  expect([response.status, answer]).toEqual([status, expect.anything()])
  return answer as Answer
}

interface Tokenized {
  readonly count: number
  readonly max_model_len: number
  readonly tokens: number[]
  readonly token_strs: string[] | null
}

const texts = ['Hello, world.', ' a\n\n  b', 'Grüße 🙂 日本', 'x', '<|im_start|>user', '']
const messages = [
  { role: 'system', content: 'Be short.' },
  { role: 'user', content: 'Hello there' },
]

test.each(texts)('%j comes back as it was', async (text) => {
  for (const prefix of ['', '/v1', '/openai/v1']) {
    const { tokens } = await ask<Tokenized>(`${prefix}/tokenize`, { model, prompt: text, add_special_tokens: false })
    const answer = await ask(`${prefix}/detokenize`, { model, tokens })
    expect(answer).toEqual({ prompt: text, content: text })
  }
})

test('the shape follows the fields: as vLLM, and as llama-server', async () => {
  const ours = await ask<Tokenized>('/tokenize', { model, prompt: 'Hello there', return_token_strs: true })
  expect(ours).toEqual({
    count: ours.tokens.length,
    max_model_len: 512,
    tokens: ours.tokens,
    token_strs: expect.any(Array),
  })
  expect(ours.token_strs?.join('')).toBe('Hello there')
  const plain = await ask<Tokenized>('/tokenize', { model, prompt: 'Hello there' })
  expect(plain).toEqual({ ...ours, token_strs: null })
  const theirs = await ask<{ tokens: number[] }>('/tokenize', { model, content: 'Hello there' })
  expect(theirs).toEqual({ tokens: ours.tokens })
})

test('the pieces of tokens are texts, or bytes where a character is cut', async () => {
  const { tokens } = await ask<{ tokens: { id: number; piece: string | number[] }[] }>('/tokenize', {
    model,
    content: 'a 🙂',
    with_pieces: true,
  })
  const bytes = tokens.map(({ piece }) => (typeof piece === 'string' ? Buffer.from(piece) : Buffer.from(piece)))
  expect(Buffer.concat(bytes).toString()).toBe('a 🙂')
  expect(tokens.some(({ piece }) => Array.isArray(piece))).toBe(true)
})

test('a control token is one token, unless it is to be read as text', async () => {
  const [special] = (await ask<Tokenized>('/tokenize', { model, prompt: '<|im_end|>' })).tokens
  const read = await ask<Tokenized>('/tokenize', { model, content: '<|im_end|>' })
  expect(read.tokens).toEqual([special ?? -1])
  const written = await ask<Tokenized>('/tokenize', { model, content: '<|im_end|>', parse_special: false })
  expect(written.tokens.length).toBeGreaterThan(1)
})

test('a conversation has the tokens that it is counted and charged with', async () => {
  const { count, tokens } = await ask<Tokenized>('/v1/tokenize', { model, messages })
  const { input_tokens } = await ask<{ input_tokens: number }>('/v1/responses/input_tokens', { model, input: messages })
  const chat = await ask<{ usage: { prompt_tokens: number } }>('/v1/chat/completions', {
    model,
    messages,
    max_tokens: 1,
  })
  expect([count, tokens.length, chat.usage.prompt_tokens]).toEqual([input_tokens, input_tokens, input_tokens])
  const { prompt } = await ask<{ prompt: string }>('/apply-template', { model, messages })
  expect(await ask('/detokenize', { model, tokens })).toEqual({ prompt, content: prompt })
  expect(prompt).toContain('Hello there')
})

test('a text has the tokens that it is charged with as a prompt', async () => {
  const prompt = 'Once upon a time there was 🙂'
  const { count } = await ask<Tokenized>('/tokenize', { model, prompt })
  const { usage } = await ask<{ usage: object }>('/v1/completions', { model, prompt, max_tokens: 1 })
  expect(usage).toMatchObject({ prompt_tokens: count })
})

test.each<[path: string, body: object]>([
  ['/tokenize', { prompt: 'Grüße 🙂', return_token_strs: true }],
  ['/tokenize', { content: '<|im_end|> 🙂', add_special: true, parse_special: false, with_pieces: true }],
  ['/tokenize', { messages, return_token_strs: true }],
  ['/tokenize', { messages: [...messages, { role: 'assistant', content: 'Well' }] }],
  ['/detokenize', { tokens: [1, 2, 300, 301] }],
  ['/apply-template', { messages, add_generation_prompt: false }],
  ['/apply-template', { messages, tools: [{ type: 'function', function: { name: 'find' } }] }],
])('a box in front answers %s with %j as the one behind it', async (path, body) => {
  const behind = await ask<object>(path, { model, ...body })
  expect(await ask<object>(path, { model, ...body }, 200, front)).toEqual(behind)
})

test('a box in front tells the same of the tokenizer, and the same of wrong tokens', async () => {
  const facts = await Promise.all(
    [server, front].map(async ({ url, keys }) => {
      const headers = { authorization: `Bearer ${keys.valid}` }
      return (await fetch(`${url}/v1/tokenizer_info?model=${model}`, { headers })).json()
    }),
  )
  expect(facts[1]).toEqual(facts[0])
  const wrong = { model, tokens: [9_999_999] }
  const { error } = await ask<{ error: object }>('/detokenize', wrong, 400, front)
  expect(error).toMatchObject({ code: 'invalid_value', param: 'tokens' })
})

test('a prompt can end with the last message', async () => {
  const said = [...messages, { role: 'assistant', content: 'Hi.' }]
  const closed = await ask<{ prompt: string }>('/apply-template', {
    model,
    messages: said,
    add_generation_prompt: false,
  })
  const begun = await ask<{ prompt: string }>('/apply-template', { model, messages })
  expect(closed.prompt).toStartWith(begun.prompt.slice(0, begun.prompt.indexOf('Hello there')))
  expect(closed.prompt.trimEnd()).toEndWith('Hi.<|im_end|>')
})

test('the facts of the tokenizer have tokens that are one token each', async () => {
  const response = await fetch(`${server.url}/tokenizer_info?model=${model}`, {
    headers: { authorization: `Bearer ${server.keys.valid}` },
  })
  const facts = (await response.json()) as Record<string, string>
  expect(facts).toMatchObject({ model_max_length: 512, chat_template: expect.stringContaining('messages') })
  const { tokens } = await ask<Tokenized>('/tokenize', {
    model,
    prompt: facts.eos_token ?? '',
    add_special_tokens: false,
  })
  expect(tokens).toHaveLength(1)
})

test('the only model need not be named, and of several one must be', async () => {
  await using single = startTestServer()
  // The requests of lm-evaluation-harness: its base URL has no /v1.
  const plain = { prompt: 'ab', add_special_tokens: false }
  expect(await ask<Tokenized>('/tokenize', plain, 200, single)).toMatchObject({ tokens: [97, 98] })
  expect(await ask('/detokenize', { tokens: [97, 98] }, 200, single)).toMatchObject({ prompt: 'ab' })
  const headers = { authorization: `Bearer ${single.keys.valid}` }
  const facts = await fetch(`${single.url}/tokenizer_info`, { headers })
  expect(await facts.json()).toMatchObject({ eos_token: '<end>', bos_token: null })
  const { error } = await ask<{ error: object }>('/tokenize', { prompt: 'ab' }, 400)
  expect(error).toMatchObject({ code: 'missing_required_parameter', param: 'model' })
})

const picture = { type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } }
const file = { type: 'file', file: { file_data: 'data:text/plain;base64,YQ==' } }
const sound = { type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } }
test.each<[path: string, body: object, code: string, param: string]>([
  ['/tokenize', {}, 'missing_required_parameter', 'prompt'],
  ['/tokenize', { prompt: 'a', content: 'a' }, 'invalid_value', 'content'],
  ['/tokenize', { prompt: 'a', messages }, 'invalid_value', 'messages'],
  ['/tokenize', { prompt: ['a'] }, 'invalid_value', 'prompt'],
  ['/tokenize', { messages: [] }, 'invalid_value', 'messages'],
  ['/tokenize', { messages, chat_template: 'x' }, 'unsupported_parameter', 'chat_template'],
  ['/tokenize', { messages: [{ role: 'user', content: [picture] }] }, 'unsupported_content', 'messages[0].content[0]'],
  ['/tokenize', { messages: [{ role: 'user', content: [file] }] }, 'unsupported_content', 'messages[0].content[0]'],
  [
    '/apply-template',
    { messages: [{ role: 'user', content: [sound] }] },
    'unsupported_content',
    'messages[0].content[0]',
  ],
  ['/tokenize', { messages: [{ role: 'user', content: 'word '.repeat(9000) }] }, 'context_length_exceeded', 'messages'],
  ['/apply-template', {}, 'missing_required_parameter', 'messages'],
  ['/detokenize', {}, 'missing_required_parameter', 'tokens'],
  ['/detokenize', { tokens: [-1] }, 'invalid_value', 'tokens[0]'],
  ['/detokenize', { tokens: [9_999_999] }, 'invalid_value', 'tokens'],
])('%s with %j is refused', async (path, body, code, param) => {
  const { error } = await ask<{ error: object }>(path, { model, ...body }, 400)
  expect(error).toMatchObject({ code, param })
})

test('nothing is charged, and a key is needed', async () => {
  const payer = server.payer(1_000_000_000)
  const headers = { authorization: `Bearer ${payer.key}`, 'content-type': 'application/json' }
  const body = JSON.stringify({ model, prompt: 'many words '.repeat(20_000) })
  const response = await fetch(`${server.url}/tokenize`, { method: 'POST', headers, body })
  expect(((await response.json()) as Tokenized).count).toBeGreaterThan(40_000)
  expect(payer.money()).toEqual({ balance: 1_000_000_000, held: 0 })
  for (const path of ['/tokenize', '/detokenize', '/apply-template']) {
    expect((await fetch(server.url + path, { method: 'POST', body: '{}' })).status).toBe(401)
  }
  expect((await fetch(`${server.url}/tokenizer_info`)).status).toBe(401)
})
