/** Completions and fill-ins by real models in a separate engine: their answers and their cost. */
import { afterAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { embeddedFilePath } from '../engines/runtime/runtime-paths.ts'
import { tinyGguf } from '../testing/gguf/tiny-gguf.ts'
import { startTestServer } from '../testing/test-server.ts'
import type { TextCompletion } from '../wire/completions/dialect.ts'

const pricing = {
  inputNanoUsd: 10_000_000,
  cachedInputNanoUsd: 4_000_000,
  outputNanoUsd: 30_000_000,
  unit: '1M_tokens',
} as const
const model = 'test/real'
const filler = 'test/filler'
/** Same model with a short context */
const forgetful = 'test/forgetful'

const folder = mkdtempSync(join(tmpdir(), 'inferd-completions-'))
const fillerPath = join(folder, 'filler.gguf')
writeFileSync(fillerPath, tinyGguf({ moreControlTokens: ['<|fim_prefix|>', '<|fim_suffix|>', '<|fim_middle|>'] }))
const starterPath = embeddedFilePath('', 'models/starter/starter-chat-q8_0.gguf') ?? ''
const manifest = { engine: 'llama', contextLength: 2048, pricing } as const
const server = startTestServer({
  models: {
    [model]: { manifest, filePaths: { model: starterPath } },
    [forgetful]: { manifest: { ...manifest, contextLength: 256 }, filePaths: { model: starterPath } },
    [filler]: { manifest, filePaths: { model: fillerPath } },
  },
  config: { holdTokens: 4 },
  // Each request gets a separate part of the cache: in a shared one, the last bits of a number depend on other
  // requests.
  engine: { contextTokens: 2048, requestTokens: 512, batchTokens: 64, parallel: 4 },
})
afterAll(async () => {
  await server[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true })
})

const story = 'Once upon a time there was a little cat who'
/** Request whose answer is surprising but always the same */
const seeded = { model, temperature: 2, top_p: 1, top_k: 0, min_p: 0, seed: 7, max_tokens: 12 }
/** Bias against the model's control tokens, which would end an answer */
const logit_bias = Object.fromEntries([2036, 2037, 2038].map((token) => [token, -100]))

function post(body: object, { path = '/completions', key = server.keys.valid, signal }: Partial<Asking> = {}) {
  return fetch(server.baseUrl + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
    ...(signal && { signal }),
  })
}

interface Asking {
  readonly path: string
  readonly key: string
  readonly signal: AbortSignal
}

async function complete(body: object): Promise<TextCompletion> {
  const response = await post(body)
  const answer = await response.json()
  expect({ status: response.status, answer }).toMatchObject({ status: 200 })
  return answer as TextCompletion // the shape that is tested
}

/** Part of a chunk that these tests read */
interface Chunk {
  readonly choices: readonly (TextCompletion['choices'][number] & { readonly delta?: { readonly content: string } })[]
  readonly usage?: TextCompletion['usage'] | null
}

async function stream(body: object, asking: Partial<Asking> = {}): Promise<Chunk[]> {
  const text = await (await post({ ...body, stream: true }, asking)).text()
  const frames = text.split('\n\n').filter((frame) => frame.startsWith('data: '))
  expect(frames.at(-1)).toBe('data: [DONE]')
  return frames.slice(0, -1).map((frame) => JSON.parse(frame.slice(6)))
}

/** Sends a request as a new account and checks its record and charge. Returns the counts. */
async function paid(body: object, path?: string) {
  const payer = server.payer(1_000_000)
  const response = await post(body, { key: payer.key, ...(path !== undefined && { path }) })
  const { usage } = (await response.json()) as Pick<TextCompletion, 'usage'>
  const requestId = response.headers.get('x-request-id') ?? ''
  await server.line((line) => line.requestId === requestId)
  const record = server.stores.usage.find(requestId)
  const { prompt_tokens: promptTokens, completion_tokens: completionTokens, prompt_tokens_details: details } = usage
  const cachedTokens = details.cached_tokens
  const cost = (promptTokens - cachedTokens) * 10 + cachedTokens * 4 + completionTokens * 30
  expect(record).toMatchObject({ used: { promptTokens, cachedTokens, completionTokens }, chargedNanoUsd: cost })
  expect(payer.money()).toEqual({ balance: 1_000_000 - cost, held: 0 })
  return { promptTokens, cachedTokens, completionTokens, endpoint: record?.endpoint }
}

test('a text is continued, as an object of its own kind', async () => {
  const answer = await complete({ ...seeded, prompt: story, logit_bias })
  expect(answer).toEqual({
    id: expect.stringMatching(/^cmpl-\w{24}$/),
    object: 'text_completion',
    created: expect.any(Number),
    model,
    system_fingerprint: expect.stringMatching(/^fp_/),
    choices: [{ text: expect.stringMatching(/./), index: 0, logprobs: null, finish_reason: 'length' }],
    usage: expect.objectContaining({ completion_tokens: 12 }),
  })
})

test('an answer has 16 tokens where nothing is said', async () => {
  const { usage } = await complete({ ...seeded, max_tokens: null, prompt: story, logit_bias })
  expect(usage.completion_tokens).toBe(16)
})

describe('a stream', () => {
  const body = { ...seeded, logit_bias, prompt: [story, 'The sky is'], n: 2, logprobs: 2 }

  test('holds what the whole answer holds', async () => {
    const whole = await complete(body)
    expect(whole.choices.map(({ logprobs }) => logprobs?.text_offset[0])).toEqual([story.length, story.length, 10, 10])
    const chunks = await stream({ ...body, stream_options: { include_usage: true } })
    const last = chunks.at(-1)
    expect(last).toMatchObject({ choices: [], usage: { ...whole.usage, prompt_tokens_details: expect.anything() } })
    for (const { index, text, finish_reason, logprobs } of whole.choices) {
      const own = chunks.flatMap(({ choices }) => choices).filter((choice) => choice.index === index)
      expect(own.map((choice) => choice.text).join('')).toBe(text)
      expect(own.at(-1)).toEqual({ text: '', index, logprobs: null, finish_reason })
      expect(new Set(own.slice(0, -1).map((choice) => choice.finish_reason))).toEqual(new Set([null]))
      expect(own.flatMap((choice) => choice.logprobs?.tokens ?? [])).toEqual(logprobs?.tokens ?? [])
      expect(own.flatMap((choice) => choice.logprobs?.text_offset ?? [])).toEqual(logprobs?.text_offset ?? [])
    }
  })

  test('tells no usage unless it is asked for', async () => {
    expect((await stream({ ...seeded, prompt: story })).filter((chunk) => 'usage' in chunk)).toEqual([])
  })
})

describe('several prompts', () => {
  test('are answered in their order, each as alone', async () => {
    const prompts = [story, 'The sky is', [72, 101, 108]]
    const alone = await Promise.all(
      prompts.map((prompt) => complete({ ...seeded, logit_bias, prompt: [prompt], n: 2 })),
    )
    const all = await complete({ ...seeded, logit_bias, prompt: prompts, n: 2 })
    expect(all.choices.map(({ index }) => index)).toEqual([0, 1, 2, 3, 4, 5])
    expect(all.choices.map(({ text }) => text)).toEqual(alone.flatMap(({ choices }) => choices.map(({ text }) => text)))
  })

  test('are one request: one record, and each prompt counted once', async () => {
    const [one, two] = [await paid({ ...seeded, prompt: story }), await paid({ ...seeded, prompt: 'The sky is' })]
    const both = await paid({ ...seeded, logit_bias, prompt: [story, 'The sky is'], n: 3 })
    expect(both.promptTokens).toBe(one.promptTokens + two.promptTokens)
    expect(both).toMatchObject({ completionTokens: 6 * 12, endpoint: 'completions' })
  })

  test('may together be far longer than the context is', async () => {
    const prompt = Array.from({ length: 128 }, (_, index) => `${'and that is the end of it. '.repeat(25)}${index}`)
    const { usage } = await complete({ ...seeded, model: forgetful, prompt, max_tokens: 1 })
    expect(usage.prompt_tokens).toBeGreaterThan(128 * 150)
  })

  test('that can never fit are refused in words about prompts', async () => {
    const response = await post({ ...seeded, model: forgetful, prompt: 'x'.repeat(1_000_000) })
    expect([response.status, await response.json()]).toMatchObject([
      400,
      {
        error: {
          code: 'context_length_exceeded',
          param: 'prompt',
          message: expect.stringContaining("'prompt' resulted"),
        },
      },
    ])
  })

  test('without a limit each has an answer that fills its own context', async () => {
    const prompt = ['and that is the end of it. '.repeat(20), story]
    const used = await paid({ ...seeded, model: forgetful, prompt, max_tokens: -1, logit_bias })
    expect(used.promptTokens + used.completionTokens).toBe(2 * 256)
  })

  test('128 of them are answered in one request', async () => {
    const prompt = Array.from({ length: 128 }, (_, index) => `${story} ${index}`)
    const { choices } = await complete({ ...seeded, prompt, max_tokens: 1 })
    expect(choices.map(({ index }) => index)).toEqual(prompt.map((_, index) => index))
  })
})

test('of a prompt that begins as an earlier one of the account, that part is not computed again', async () => {
  const prompt = `${story} ${'went to the market and '.repeat(10)}`
  const { key } = server.payer(1_000_000)
  const ask = async (prompt: string) => (await (await post({ ...seeded, prompt }, { key })).json()) as TextCompletion
  const first = await ask(prompt)
  const second = await ask(`${prompt}saw a dog`)
  expect(first.usage.prompt_tokens_details.cached_tokens).toBe(0)
  expect(second.usage.prompt_tokens_details.cached_tokens).toBeGreaterThan(first.usage.prompt_tokens - 4)
})

describe('echo', () => {
  test('puts the text of each prompt in front of its answer, also of token ids', async () => {
    const body = { ...seeded, prompt: [story, [72, 105]] }
    const [plain, echoed] = [await complete(body), await complete({ ...body, echo: true })]
    const [first, second] = plain.choices
    expect(echoed.choices[0]?.text).toBe(story + first?.text)
    expect(echoed.choices[1]?.text).toEndWith(second?.text ?? '?')
    expect(echoed.choices[1]?.text.length).toBeGreaterThan(second?.text.length ?? 0)
    expect(echoed.usage.completion_tokens).toBe(plain.usage.completion_tokens)
  })

  test('is the first piece of a stream, and no stop string is looked for in it', async () => {
    const [first, ...rest] = await stream({ ...seeded, logit_bias, prompt: story, echo: true, stop: ['little'] })
    expect(first?.choices[0]?.text).toBe(story)
    expect(rest.length).toBeGreaterThan(2)
  })
})

describe('log probabilities', () => {
  test('are of the tokens that the text is made of, at their places behind the prompt', async () => {
    const prompt = `Ünë 🙂: ${story}`
    const length = [...prompt].length
    const { choices } = await complete({ ...seeded, temperature: 0.5, logit_bias, prompt, logprobs: 2 })
    const [{ text = '', logprobs = null } = {}] = choices
    const { tokens = [], token_logprobs = [], top_logprobs = [], text_offset = [] } = logprobs ?? {}
    expect(tokens.join('')).toBe(text)
    let place = length
    for (const [index, token] of tokens.entries()) {
      expect(text_offset[index]).toBe(place)
      place += [...token].length
      expect(top_logprobs?.[index]?.[token]).toBe(token_logprobs[index] ?? 0)
      expect(Object.keys(top_logprobs?.[index] ?? {}).length).toBeWithin(1, 4)
    }
  })

  test('without alternatives are those of the chosen tokens alone', async () => {
    const { choices } = await complete({ ...seeded, prompt: story, logprobs: 0, max_tokens: 2 })
    expect(choices[0]?.logprobs).toMatchObject({ top_logprobs: null, tokens: [expect.any(String), expect.any(String)] })
  })
})

test('the text keeps to a schema', async () => {
  const schema = {
    type: 'object',
    properties: { a: { enum: ['x', 'y'] } },
    required: ['a'],
    additionalProperties: false,
  }
  const response_format = { type: 'json_schema', json_schema: { name: 'a', schema } }
  const { choices } = await complete({ ...seeded, prompt: 'JSON: ', response_format, max_tokens: 60 })
  expect(['x', 'y']).toContain(JSON.parse(choices[0]?.text ?? '').a)
})

describe('a gap', () => {
  const gap = { model: filler, prompt: 'x = ', suffix: '\nshow(x)', max_tokens: 5, seed: 3 }

  test('is filled, and paid for by the tokens of both sides and their marks', async () => {
    expect(await paid(gap)).toMatchObject({ promptTokens: 4 + 8 + 3, completionTokens: 5, endpoint: 'completions' })
  })

  test('is filled the same way for clients of Mistral, told as an answer of a chat', async () => {
    const { seed: random_seed, ...rest } = gap
    const response = await post({ ...rest, random_seed, temperature: 0.8 }, { path: '/fim/completions' })
    const whole = (await post({ ...gap, temperature: 0.8 }).then((answer) => answer.json())) as TextCompletion
    expect(whole.choices[0]?.text).toMatch(/./)
    expect(await response.json()).toMatchObject({
      object: 'chat.completion',
      choices: [{ index: 0, message: { role: 'assistant', content: whole.choices[0]?.text }, finish_reason: 'length' }],
      usage: { prompt_tokens: 15, completion_tokens: 5, total_tokens: 20 },
    })
    const chunks = await stream({ ...rest, random_seed, temperature: 0.8 }, { path: '/fim/completions' })
    expect(chunks.map(({ choices }) => choices[0]?.delta?.content).join('')).toBe(whole.choices[0]?.text ?? '')
    expect(chunks.at(-1)).toMatchObject({ choices: [{ finish_reason: 'length' }], usage: { total_tokens: 20 } })
    expect(await paid({ ...rest, random_seed }, '/fim/completions')).toMatchObject({ endpoint: 'fim/completions' })
  })

  test('is filled the same way for clients of Ollama, who are told which models can', async () => {
    const whole = (await post({ ...gap, temperature: 0.8 }).then((answer) => answer.json())) as TextCompletion
    const { prompt, suffix } = gap
    const options = { num_predict: 5, seed: 3, temperature: 0.8 }
    const response = await server.post('/api/generate', { model: filler, prompt, suffix, options, stream: false })
    expect(await response.json()).toMatchObject({
      response: whole.choices[0]?.text,
      done_reason: 'length',
      prompt_eval_count: 15,
      eval_count: 5,
    })
    const capabilities = async (name: string) =>
      ((await (await server.post('/api/show', { model: name })).json()) as { capabilities: string[] }).capabilities
    expect(await capabilities(filler)).toContain('insert')
    expect(await capabilities(model)).not.toContain('insert')
  })

  test('is refused by a model whose file names no tokens for it', async () => {
    const response = await post({ ...gap, model })
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ error: { code: 'unsupported_parameter', param: 'suffix' } })
  })
})

test.each<[name: string, body: object, error: object]>([
  ['more answers than are wanted', { best_of: 2 }, { code: 'unsupported_parameter', param: 'best_of' }],
  ['fewer answers than are wanted', { best_of: 1, n: 2 }, { code: 'invalid_value', param: 'best_of' }],
  ['the echo of a gap', { echo: true, suffix: 'a' }, { code: 'unsupported_parameter', param: 'echo' }],
  ['a gap between tokens', { prompt: [1], suffix: 'a' }, { code: 'invalid_value', param: 'prompt' }],
  ['no token', { max_tokens: 0 }, { code: 'invalid_value', param: 'max_tokens' }],
  ['messages', { messages: [] }, { code: 'unsupported_parameter', param: 'messages' }],
  ['tools', { tools: [{}] }, { code: 'unsupported_parameter', param: 'tools' }],
  ["a chat's log probabilities", { logprobs: true }, { code: 'invalid_value', param: 'logprobs' }],
  ['too many log probabilities', { logprobs: 21 }, { code: 'invalid_value', param: 'logprobs' }],
  ['no prompts', { prompt: [] }, { code: 'invalid_value', param: 'prompt' }],
  ['no tokens', { prompt: ['a', []] }, { code: 'invalid_value', param: 'prompt[1]' }],
  ['half a token', { prompt: [1, 0.5] }, { code: 'invalid_value', param: 'prompt[1]' }],
  ['too many prompts', { prompt: Array(129).fill('a') }, { code: 'invalid_value', param: 'prompt' }],
  ['too many answers', { prompt: Array(17).fill('a'), n: 8 }, { code: 'invalid_value', param: 'prompt' }],
  ['an unknown token', { prompt: ['a', [1_000_000]] }, { code: 'invalid_value', param: 'prompt[1]' }],
  [
    'too long a prompt',
    { prompt: ['a', 'a b '.repeat(2000)] },
    { code: 'context_length_exceeded', param: 'prompt[1]' },
  ],
  ['far too long a prompt', { prompt: 'a b '.repeat(90_000) }, { code: 'context_length_exceeded', param: 'prompt' }],
])('%s: a refusal that names the field', async (_name, body, error) => {
  const response = await post({ model, prompt: 'a', ...body })
  expect(response.status).toBe(400)
  expect(await response.json()).toMatchObject({ error: { type: 'invalid_request_error', ...error } })
})

test('a client that disconnects pays for what was made of all its prompts', async () => {
  const payer = server.payer(1_000_000_000)
  const before = await server.pool.stats(model)
  const client = new AbortController()
  const body = { ...seeded, logit_bias, prompt: [story, 'The sky is'], max_tokens: 1000, repetition_detection: false }
  const response = await post({ ...body, stream: true }, { key: payer.key, signal: client.signal })
  const requestId = response.headers.get('x-request-id') ?? ''
  let tokens = 0
  const decoder = new TextDecoder()
  for await (const bytes of response.body ?? []) {
    tokens += decoder.decode(bytes).split('data: ').length - 1
    if (tokens > 10) break
  }
  client.abort()
  await server.line((line) => line.requestId === requestId)
  const after = await server.pool.stats(model)
  const used = server.stores.usage.find(requestId)
  expect(used).toMatchObject({
    finish: 'client_disconnect',
    used: {
      completionTokens: (after?.generatedTokens ?? 0) - (before?.generatedTokens ?? 0),
      cachedTokens: (after?.reusedPromptTokens ?? 0) - (before?.reusedPromptTokens ?? 0),
    },
  })
  expect(used?.used.completionTokens).toBeWithin(10, 1000)
  expect(payer.money()).toEqual({ balance: 1_000_000_000 - (used?.chargedNanoUsd ?? 0), held: 0 })
})

test('an account pays for as many tokens of each prompt as it can', async () => {
  const prompt = [story, 'The sky is']
  const { promptTokens } = await paid({ ...seeded, prompt })
  const payer = server.payer(promptTokens * 10 + 2 * 5 * 30)
  const body = { ...seeded, logit_bias, prompt, max_tokens: -1, repetition_detection: false }
  const response = await post(body, { key: payer.key })
  const answer = (await response.json()) as TextCompletion
  expect(answer.usage.completion_tokens).toBeWithin(8, 11)
  expect(answer.choices.map(({ finish_reason }) => finish_reason)).toEqual(['length', 'length'])
  const poor = server.payer(promptTokens * 10)
  expect((await post(body, { key: poor.key })).status).toBe(402)
  expect(poor.money()).toEqual({ balance: promptTokens * 10, held: 0 })
})
