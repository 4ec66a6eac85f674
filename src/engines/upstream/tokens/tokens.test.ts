/** Requests to servers of each flavor about tokens, over real sockets, and the answers made of theirs. */
import { afterAll, beforeEach, expect, test } from 'bun:test'
import type { JsonObject } from '../../../core/json.ts'
import { type UpstreamFlavor, upstreamFlavors } from '../../../core/upstream.ts'
import { startTestServer } from '../../../testing/test-server.ts'
import { servedBy } from '../../../testing/upstream/upstream-host.ts'

interface Asked {
  readonly path: string
  readonly body?: JsonObject
}

const asked: Asked[] = []
const answers = new Map<string, unknown>()

/** Body of an answer that is not JSON, or has another status. */
class Raw {
  readonly text: string
  readonly status: number

  constructor(text: string, status = 200) {
    this.text = text
    this.status = status
  }
}

const behind = Bun.serve({
  port: 0,
  async fetch(request) {
    const { pathname, search } = new URL(request.url)
    if (pathname === '/v1/models') return Response.json({ data: [{ id: 'served' }] })
    const path = pathname + search
    const isPost = request.method === 'POST'
    const answer = answers.get(path)
    if (answer === undefined) return new Response('', { status: path === '/health' ? 200 : 404 })
    asked.push({ path, ...(isPost && { body: (await request.json()) as JsonObject }) })
    return answer instanceof Raw ? new Response(answer.text, { status: answer.status }) : Response.json(answer)
  },
})
const server = startTestServer({
  models: Object.fromEntries(
    upstreamFlavors.map((flavor) => [
      `test/${flavor}`,
      servedBy(flavor, [{ url: `${behind.url.origin}/v1` }], { contextLength: 4096 }),
    ]),
  ),
})
afterAll(async () => {
  await server[Symbol.asyncDispose]()
  await behind.stop(true)
})
beforeEach(() => {
  answers.clear()
  asked.length = 0
})

/** Answers of all kinds of servers at all paths that the test does not change. */
function answerAsUsual(): void {
  const tokens = { tokens: [5, 6], count: 2, token_strs: ['Hi', '!'] }
  for (const prefix of ['', '/v1']) {
    answers.set(`${prefix}/tokenize`, tokens)
    answers.set(`${prefix}/detokenize`, prefix === '' ? { prompt: 'Hi!' } : { text: 'Hi!' })
    answers.set(`${prefix}/apply-template`, { prompt: 'user: Hi!' })
  }
}

async function ask(path: string, flavor: UpstreamFlavor, body: object) {
  asked.length = 0
  const response = await server.post(path, { model: `test/${flavor}`, ...body })
  return { status: response.status, body: (await response.json()) as JsonObject }
}

const messages = [{ role: 'user', content: 'Hi!' }]

test.each<[UpstreamFlavor, string, JsonObject]>([
  ['vllm', '/tokenize', { model: 'served', prompt: 'Hi!', add_special_tokens: true, return_token_strs: false }],
  ['sglang', '/v1/tokenize', { model: 'served', prompt: 'Hi!', add_special_tokens: true }],
  ['llamacpp', '/tokenize', { content: 'Hi!', add_special: true, parse_special: true, with_pieces: false }],
  [
    'inferd',
    '/v1/tokenize',
    { model: 'served', content: 'Hi!', add_special: true, parse_special: true, with_pieces: false },
  ],
])('%s cuts a text', async (flavor, path, body) => {
  answerAsUsual()
  const answer = await ask('/tokenize', flavor, { prompt: 'Hi!' })
  expect(asked).toEqual([{ path, body }])
  expect(answer).toEqual({
    status: 200,
    body: { count: 2, max_model_len: 4096, tokens: [5, 6], token_strs: null },
  })
})

test.each<[UpstreamFlavor, readonly string[]]>([
  ['vllm', ['/tokenize', '/detokenize']],
  ['sglang', ['/v1/tokenize', '/v1/detokenize']],
  ['llamacpp', ['/apply-template']],
  ['inferd', ['/v1/apply-template']],
])('%s shows the prompt of a chat, closed if it is asked for', async (flavor, paths) => {
  answerAsUsual()
  const { body } = await ask('/apply-template', flavor, { messages, add_generation_prompt: false })
  expect(body).toEqual({ prompt: paths.length === 1 ? 'user: Hi!' : 'Hi!' })
  expect(asked.map(({ path }) => path)).toEqual([...paths])
  expect(asked[0]?.body).toMatchObject({ messages, add_generation_prompt: false })
  await ask('/apply-template', flavor, { messages })
  expect(asked[0]?.body).not.toHaveProperty('add_generation_prompt')
})

test('a server that only renders cuts what it has rendered', async () => {
  answerAsUsual()
  expect((await ask('/tokenize', 'llamacpp', { messages })).body).toMatchObject({ count: 2, tokens: [5, 6] })
  expect(asked.map(({ path }) => path)).toEqual(['/apply-template', '/tokenize'])
  expect(asked[1]?.body).toMatchObject({ content: 'user: Hi!', add_special: true, parse_special: true })
})

test('an answer that has begun goes on in the prompt, unless that is closed', async () => {
  answerAsUsual()
  const begun = [...messages, { role: 'assistant', content: 'Well' }]
  await ask('/tokenize', 'vllm', { messages: begun })
  expect(asked[0]?.body).toMatchObject({ continue_final_message: true, add_generation_prompt: false })
  await ask('/tokenize', 'vllm', { messages: begun, add_generation_prompt: false })
  expect(asked[0]?.body).toMatchObject({ add_generation_prompt: false })
  expect(asked[0]?.body).not.toHaveProperty('continue_final_message')
})

test.each<[UpstreamFlavor, string, JsonObject]>([
  ['vllm', '/detokenize', { model: 'served', tokens: [5, 6] }],
  ['sglang', '/v1/detokenize', { model: 'served', tokens: [5, 6], skip_special_tokens: false }],
  ['llamacpp', '/detokenize', { tokens: [5, 6] }],
  ['inferd', '/v1/detokenize', { model: 'served', tokens: [5, 6] }],
])('%s joins tokens', async (flavor, path, body) => {
  answerAsUsual()
  answers.set('/detokenize', flavor === 'llamacpp' ? { content: 'Hi!' } : { prompt: 'Hi!' })
  expect(await ask('/detokenize', flavor, { tokens: [5, 6] })).toEqual({
    status: 200,
    body: { prompt: 'Hi!', content: 'Hi!' },
  })
  expect(asked).toEqual([{ path, body }])
})

test('pieces are texts, or bytes where a server sends bytes', async () => {
  answerAsUsual()
  expect((await ask('/tokenize', 'vllm', { prompt: 'Hi!', return_token_strs: true })).body.token_strs).toEqual([
    'Hi',
    '!',
  ])
  const tokens = [
    { id: 5, piece: 'Hi' },
    { id: 6, piece: [0xf0, 0x9f] },
  ]
  answers.set('/tokenize', { tokens })
  expect((await ask('/tokenize', 'llamacpp', { content: 'Hi!', with_pieces: true })).body).toEqual({ tokens })
})

test.each<[UpstreamFlavor, string]>([
  ['vllm', '/tokenizer_info'],
  ['llamacpp', '/props'],
  ['inferd', '/v1/tokenizer_info?model=served'],
])('%s tells the facts of its tokenizer', async (flavor, path) => {
  answers.set(path, { bos_token: { content: '<s>' }, eos_token: '</s>', pad_token: null, chat_template: '{{ a }}' })
  const response = await fetch(`${server.url}/tokenizer_info?model=test/${flavor}`, {
    headers: { authorization: `Bearer ${server.keys.valid}` },
  })
  expect(await response.json()).toEqual({
    tokenizer_class: 'inferd',
    bos_token: '<s>',
    eos_token: '</s>',
    pad_token: null,
    chat_template: '{{ a }}',
    model_max_length: 4096,
  })
  expect(asked.at(-1)).toEqual({ path })
})

test.each<[UpstreamFlavor, path: string, body: object, status: number, code: string, param: string | null]>([
  ['openai', '/tokenize', { prompt: 'a' }, 404, 'not_supported', null],
  ['trtllm', '/detokenize', { tokens: [1] }, 404, 'not_supported', null],
  ['openai', '/apply-template', { messages }, 404, 'not_supported', null],
  ['sglang', '/tokenize', { prompt: 'a', return_token_strs: true }, 400, 'unsupported_parameter', 'return_token_strs'],
  ['vllm', '/tokenize', { content: 'a', parse_special: false }, 400, 'unsupported_parameter', 'parse_special'],
])('%s cannot answer %s with %j', async (flavor, path, body, status, code, param) => {
  const answer = await ask(path, flavor, body)
  expect(answer).toMatchObject({ status, body: { error: { code, param } } })
  expect(asked).toEqual([])
})

test.each<[why: string, answer: unknown, status: number, code: string]>([
  ['does not have the endpoint', undefined, 404, 'not_supported'],
  ['refuses the tokens', new Raw('{"error":{}}', 400), 400, 'invalid_value'],
  ['fails', new Raw('', 500), 502, 'engine_failed'],
  ['answers with something else', { tokens: ['a'] }, 502, 'engine_failed'],
  ['answers with an id that no token has', { tokens: [2 ** 40] }, 502, 'engine_failed'],
  ['answers with a page', new Raw('<html>'), 502, 'engine_failed'],
  ['answers without an end', new Raw('7'.repeat(17 * 1024 * 1024)), 400, 'invalid_value'],
])('a server that %s', async (_, answer, status, code) => {
  if (answer !== undefined) answers.set('/tokenize', answer)
  expect(await ask('/tokenize', 'vllm', { prompt: 'a' })).toMatchObject({ status, body: { error: { code } } })
})

test('a long list comes whole', async () => {
  const tokens = Array.from({ length: 40_000 }, (_, index) => index)
  answers.set('/tokenize', { tokens })
  expect((await ask('/tokenize', 'vllm', { prompt: 'a' })).body).toMatchObject({ count: 40_000, tokens })
})
