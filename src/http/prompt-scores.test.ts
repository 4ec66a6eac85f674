/** Scores of prompts by the starter model in a separate engine: numbers, shapes, money, refusals. */
import { afterAll, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { JsonObject } from '../core/json.ts'
import { embeddedFilePath } from '../engines/runtime/runtime-paths.ts'
import { mutatedJson } from '../testing/mutated-json.ts'
import { startTestServer } from '../testing/test-server.ts'
import { until } from '../testing/until.ts'

const pricing = {
  inputNanoUsd: 10_000_000,
  cachedInputNanoUsd: 4_000_000,
  outputNanoUsd: 30_000_000,
  unit: '1M_tokens',
} as const
const model = 'test/real'
const starterPath = embeddedFilePath('', 'models/starter/starter-chat-q8_0.gguf') ?? ''
const server = startTestServer({
  models: {
    [model]: { manifest: { engine: 'llama', contextLength: 1024, pricing }, filePaths: { model: starterPath } },
  },
  engine: { contextTokens: 4096, requestTokens: 1024, batchTokens: 64, parallel: 4 },
})
afterAll(() => server[Symbol.asyncDispose]())

interface Lists {
  readonly tokens: readonly string[]
  readonly token_logprobs: readonly (number | null)[]
  readonly top_logprobs: readonly (Readonly<Record<string, number>> | null)[]
  readonly text_offset: readonly number[]
}

type Entry = Readonly<
  Record<string, { readonly logprob: number; readonly rank: number; readonly decoded_token: string }>
>

interface Answer {
  readonly choices: readonly {
    readonly index: number
    readonly text: string
    readonly logprobs: Lists
    readonly finish_reason: string
    readonly prompt_logprobs?: readonly (Entry | null)[]
  }[]
  readonly usage: {
    readonly prompt_tokens: number
    readonly completion_tokens: number
    readonly prompt_tokens_details: { readonly cached_tokens: number }
  }
}

function post(body: object, { path = '/completions', key = server.keys.valid, signal }: Partial<Asking> = {}) {
  return fetch(server.baseUrl + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model, ...body }),
    ...(signal && { signal }),
  })
}

interface Asking {
  readonly path: string
  readonly key: string
  readonly signal: AbortSignal
}

async function ask(body: object, asking?: Partial<Asking>): Promise<Answer> {
  const response = await post(body, asking)
  const answer = await response.json()
  expect({ status: response.status, answer }).toMatchObject({ status: 200 })
  return answer as Answer // the shape that is tested
}

async function only(body: object) {
  const [choice] = (await ask(body)).choices
  if (choice === undefined) throw new Error('there is no choice')
  return choice
}

async function tokensOf(prompt: string): Promise<number[]> {
  return ((await ask({ prompt }, { path: '/tokenize' })) as unknown as { readonly tokens: number[] }).tokens
}

/** The request of lm-evaluation-harness. */
const harness = { temperature: 0, max_tokens: 1, logprobs: 1, echo: true, seed: 1234 }
const story = 'Once upon a time there was a little cat who lived in a house by the sea.'

/** Returns the log probability of each token after the first, each by a request of its own that a bias answers. */
async function teacherForced(tokens: readonly number[]): Promise<number[]> {
  const found: number[] = []
  for (let at = 1; at < tokens.length; at++) {
    const body = { prompt: [tokens.slice(0, at)], max_tokens: 1, temperature: 0, logprobs: 0 }
    const { logprobs } = await only({ ...body, logit_bias: { [tokens[at] ?? 0]: 100 } })
    found.push(logprobs.token_logprobs[0] ?? Number.NaN)
  }
  return found
}

function sumOf(values: readonly (number | null)[]): number {
  return values.reduce<number>((sum, value) => sum + (value ?? 0), 0)
}

describe('an echoed prompt with log probabilities', () => {
  test('has the sums that teacher forcing gives, and one entry for each token of prompt and answer', async () => {
    const tokens = (await tokensOf(story)).slice(0, 16)
    const { logprobs, text } = await only({ ...harness, prompt: [tokens] })
    expect(text.startsWith('Once upon a time')).toBe(true)
    for (const list of Object.values(logprobs)) expect(list).toHaveLength(tokens.length + 1)
    expect([logprobs.token_logprobs[0], logprobs.top_logprobs[0]]).toEqual([null, null])
    const expected = await teacherForced(tokens)
    expect(Math.abs(sumOf(logprobs.token_logprobs.slice(1, -1)) - sumOf(expected))).toBeLessThan(1e-4 * tokens.length)
    for (const [index, value] of expected.entries()) {
      expect(Math.abs((logprobs.token_logprobs[index + 1] ?? 0) - value)).toBeLessThan(1e-4)
    }
  })

  test('tells a greedy continuation by equal numbers, and another by a smaller one', async () => {
    const prompt = await tokensOf('The sky is')
    const free = { prompt: [prompt], max_tokens: 6, temperature: 0, logprobs: 0, return_tokens_as_token_ids: true }
    const greedy = (await only(free)).logprobs.tokens.map((name) => Number(name.replace('token_id:', '')))
    expect(greedy.length).toBeGreaterThan(2)
    const isGreedy = async (continuation: readonly number[]) => {
      const { logprobs } = await only({ ...harness, prompt: [[...prompt, ...continuation]] })
      const places = logprobs.token_logprobs.slice(prompt.length, -1)
      const best = logprobs.top_logprobs.slice(prompt.length, -1).map((top) => Math.max(...Object.values(top ?? {})))
      expect(places).toHaveLength(continuation.length)
      return places.every((place, index) => place === best[index])
    }
    expect(await isGreedy(greedy)).toBe(true)
    expect(await isGreedy([...greedy.slice(0, -1), greedy.at(-1) === 5 ? 6 : 5])).toBe(false)
  })

  test('has an entry for an answer without text', async () => {
    const prompt = await tokensOf('Hello')
    for (const id of [2036, 2037, 2038]) {
      const { logprobs, text } = await only({ ...harness, prompt: [prompt], logit_bias: { [id]: 100 } })
      expect(text).toBe('Hello')
      expect(logprobs.token_logprobs).toHaveLength(prompt.length + 1)
      expect(logprobs.token_logprobs.at(-1)).toBeLessThan(0)
    }
  })

  test('counts offsets in code points of the whole text', async () => {
    const { logprobs, text } = await only({ ...harness, prompt: 'Grüße 🙂 you', max_tokens: 3 })
    expect(logprobs.text_offset[0]).toBe(0)
    const characters = [...text]
    for (const [index, token] of logprobs.tokens.entries()) {
      if (token.startsWith('bytes:') || token.startsWith('<|')) continue
      const at = logprobs.text_offset[index] ?? 0
      expect(characters.slice(at, at + [...token].length).join('')).toBe(token)
    }
  })

  test('of several prompts keeps them apart, each as it is alone', async () => {
    const texts = [story, 'The sky is blue', 'a', 'One two three four five six seven eight nine ten']
    const prompts = await Promise.all(texts.map(tokensOf))
    const { choices } = await ask({ ...harness, prompt: prompts })
    expect(choices.map(({ index }) => index)).toEqual([0, 1, 2, 3])
    for (const [index, prompt] of prompts.entries()) {
      const alone = await only({ ...harness, prompt: [prompt] })
      const together = choices[index]?.logprobs.token_logprobs ?? []
      expect(together).toHaveLength(prompt.length + 1)
      const difference = sumOf(together.slice(1, -1)) - sumOf(alone.logprobs.token_logprobs.slice(1, -1))
      expect(Math.abs(difference)).toBeLessThan(1e-3)
    }
  })

  test('of many rows is cut into steps, and equal whether long or short', async () => {
    const tokens = (await tokensOf(`${story} `.repeat(12))).slice(0, 200)
    const whole = await only({ ...harness, max_tokens: 0, prompt: [tokens] })
    const part = await only({ ...harness, max_tokens: 0, prompt: [tokens.slice(0, 50)] })
    expect(whole.logprobs.token_logprobs).toHaveLength(200)
    for (const [index, value] of part.logprobs.token_logprobs.entries()) {
      expect(Math.abs((whole.logprobs.token_logprobs[index] ?? 0) - (value ?? 0))).toBeLessThan(1e-3)
    }
  })
})

describe('prompt_logprobs', () => {
  test('list the own token first, then the alternatives, on completions and on chats', async () => {
    const prompt = await tokensOf('The sky is blue')
    const response = await post({ prompt: [prompt], max_tokens: 0, prompt_logprobs: 2 })
    const text = await response.text()
    const { choices, usage } = JSON.parse(text) as Answer
    expect(choices[0]).toMatchObject({ text: '', finish_reason: 'length', logprobs: null })
    expect(usage).toMatchObject({ prompt_tokens: prompt.length, completion_tokens: 0 })
    const [first, ...others] = choices[0]?.prompt_logprobs ?? []
    expect(first).toBeNull()
    for (const [index, entry] of others.entries()) {
      const own = String(prompt[index + 1])
      expect(text).toContain(`{"${own}":{"logprob":`)
      expect(Object.keys(entry ?? {}).length).toBe((entry?.[own]?.rank ?? 0) > 2 ? 3 : 2)
      expect(Object.values(entry ?? {}).filter(({ rank }) => rank <= 2)).toHaveLength(2)
    }
    const messages = [{ role: 'user', content: 'Hi' }]
    const chat = await ask({ messages, max_tokens: 0, prompt_logprobs: 0 }, { path: '/chat/completions' })
    const scores = chat.choices[0]?.prompt_logprobs ?? []
    expect(scores).toHaveLength(chat.usage.prompt_tokens)
    const names = scores.flatMap((entry) => Object.values(entry ?? {}).map(({ decoded_token: name }) => name))
    expect(names.join('')).toContain('user\nHi<|im_end|>')
  })

  test('stand beside an answer, whose numbers they do not change', async () => {
    const body = { prompt: story, max_tokens: 4, temperature: 0, logprobs: 1 }
    const { prompt_logprobs: scores, ...with_ } = await only({ ...body, prompt_logprobs: 1 })
    expect(scores?.length).toBeGreaterThan(4)
    expect(with_.text).toBe((await only(body)).text)
    expect(with_.logprobs.tokens).toHaveLength(4)
  })

  test('of different numbers of alternatives keep to their own', async () => {
    const choice = await only({ ...harness, prompt: 'The sky is', logprobs: 1, prompt_logprobs: 3 })
    for (const entry of (choice.prompt_logprobs ?? []).slice(1)) {
      expect(Object.keys(entry ?? {}).length).toBeGreaterThanOrEqual(3)
    }
    for (const top of choice.logprobs.top_logprobs.slice(1)) expect(Object.keys(top ?? {}).length).toBeLessThan(3)
  })
})

test('tokens are named by their ids where that is asked for', async () => {
  const prompt = await tokensOf('The sky is blue')
  const { logprobs } = await only({ ...harness, prompt: [prompt], return_tokens_as_token_ids: true })
  expect(logprobs.tokens.slice(0, -1)).toEqual(prompt.map((id) => `token_id:${id}`))
  for (const top of logprobs.top_logprobs.slice(1)) {
    expect(Object.keys(top ?? {}).every((name) => /^token_id:\d+$/.test(name))).toBe(true)
  }
})

test('max_tokens 0 with echo answers with the prompt alone', async () => {
  const { choices, usage } = await ask({ prompt: story, max_tokens: 0, echo: true })
  expect(choices[0]).toMatchObject({ text: story, finish_reason: 'length' })
  expect(usage.completion_tokens).toBe(0)
})

test('max_tokens 0 with echo ends every choice, also of several prompts and more than there are slots', async () => {
  const payer = server.payer(1_000_000)
  for (const [prompt, n] of [
    [[story], 2],
    [[story, 'Hello', story], 3],
  ] as const) {
    const { choices, usage } = await ask({ prompt, n, max_tokens: 0, echo: true }, { key: payer.key })
    expect(choices.map(({ text }) => text)).toEqual(prompt.flatMap((text) => Array<string>(n).fill(text)))
    expect(usage.completion_tokens).toBe(0)
    expect(payer.money().held).toBe(0)
  }
})

describe('money', () => {
  test('the whole prompt has its full price, even where it is cached, and another prompt may reuse it', async () => {
    const prompt = [await tokensOf(`${story} ${story}`)]
    const price = (count: number) => count * 10
    await ask({ prompt, max_tokens: 1 })
    const payer = server.payer(1_000_000)
    for (const body of [
      { ...harness, max_tokens: 0 },
      { max_tokens: 0, prompt_logprobs: 1 },
    ]) {
      const before = payer.money().balance
      const { usage } = await ask({ prompt, ...body }, { key: payer.key })
      expect(usage).toMatchObject({ completion_tokens: 0, prompt_tokens_details: { cached_tokens: 0 } })
      expect(payer.money()).toEqual({ balance: before - price(usage.prompt_tokens), held: 0 })
    }
    const { usage } = await ask({ prompt, max_tokens: 1 }, { key: payer.key })
    expect(usage.prompt_tokens_details.cached_tokens).toBeGreaterThan(0)
  })

  test('prompts of one request that begin alike are each computed', async () => {
    const tokens = (await tokensOf(`${story} `.repeat(8))).slice(0, 130)
    const { usage, choices } = await ask({ ...harness, max_tokens: 0, prompt: [tokens, tokens, tokens] })
    expect(usage).toMatchObject({ prompt_tokens: 390, prompt_tokens_details: { cached_tokens: 0 } })
    for (const { logprobs } of choices) expect(logprobs.token_logprobs).toHaveLength(130)
  })

  const many = { ...harness, max_tokens: 0, prompt: Array.from({ length: 24 }, () => Array(900).fill(5)) }
  const isHeld = (payer: { money(): { readonly held: number } }) =>
    until(
      'the prompts are held',
      () => payer.money().held,
      (held) => held > 0,
    )

  test('a client that leaves pays for what was computed, at the full price', async () => {
    const payer = server.payer(100_000_000)
    const leave = new AbortController()
    const answered = post(many, { key: payer.key, signal: leave.signal }).then(
      () => true,
      () => false,
    )
    await isHeld(payer)
    leave.abort()
    expect(await answered).toBe(false)
    await server.drained()
    const { balance, held } = payer.money()
    const paid = 100_000_000 - balance
    expect(held).toBe(0)
    expect(paid % 10).toBe(0)
    expect(paid).toBeLessThan(24 * 900 * 10)
  })

  test('an engine that is killed is paid for once, when the next one has answered', async () => {
    const payer = server.payer(100_000_000)
    const asked = post(many, { key: payer.key })
    await isHeld(payer)
    process.kill(server.pool.status().find(({ modelId }) => modelId === model)?.pid ?? 0, 'SIGKILL')
    const response = await asked
    const answer = (await response.json()) as Answer
    expect(response.status).toBe(200)
    for (const { logprobs } of answer.choices) expect(logprobs.token_logprobs).toHaveLength(900)
    expect(payer.money()).toEqual({ balance: 100_000_000 - 24 * 900 * 10, held: 0 })
  }, 120_000)

  test('an account that cannot pay for its prompts is refused', async () => {
    const payer = server.payer(100)
    const response = await post({ ...harness, prompt: [Array(500).fill(5)] }, { key: payer.key })
    expect(response.status).toBe(402)
    expect(payer.money()).toEqual({ balance: 100, held: 0 })
  })
})

test.each<[name: string, path: string, body: object, code: string, param: string]>([
  ['a stream', '/completions', { ...harness, prompt: 'a', stream: true }, 'unsupported_parameter', 'stream'],
  [
    'a stream of prompt_logprobs',
    '/completions',
    { prompt: 'a', prompt_logprobs: 0, stream: true },
    'unsupported_parameter',
    'stream',
  ],
  ['several answers', '/completions', { ...harness, prompt: 'a', n: 2 }, 'unsupported_parameter', 'n'],
  ['the best answer', '/completions', { ...harness, prompt: 'a', best_of: 2 }, 'unsupported_parameter', 'best_of'],
  ['the best of several', '/completions', { ...harness, prompt: 'a', best_of: 2, n: 2 }, 'unsupported_parameter', 'n'],
  [
    'a gap',
    '/completions',
    { prompt: 'a', suffix: 'b', prompt_logprobs: 1 },
    'unsupported_parameter',
    'prompt_logprobs',
  ],
  ['too many', '/completions', { prompt: 'a', prompt_logprobs: 21 }, 'invalid_value', 'prompt_logprobs'],
  ['all', '/completions', { prompt: 'a', prompt_logprobs: -1 }, 'invalid_value', 'prompt_logprobs'],
  ['a word', '/completions', { prompt: 'a', prompt_logprobs: 'all' }, 'invalid_value', 'prompt_logprobs'],
  [
    'a word for ids',
    '/completions',
    { prompt: 'a', return_tokens_as_token_ids: 'yes' },
    'invalid_value',
    'return_tokens_as_token_ids',
  ],
  ['no tokens', '/completions', { prompt: 'a', max_tokens: 0, logprobs: 1 }, 'invalid_value', 'max_tokens'],
  ['no tokens of a chat', '/chat/completions', { max_tokens: 0 }, 'invalid_value', 'max_tokens'],
  [
    'no tokens of a chat, by its other name',
    '/chat/completions',
    { max_completion_tokens: 0, logprobs: true },
    'invalid_value',
    'max_completion_tokens',
  ],
  ['a stream of a chat', '/chat/completions', { prompt_logprobs: 1, stream: true }, 'unsupported_parameter', 'stream'],
  ['several answers of a chat', '/chat/completions', { prompt_logprobs: 1, n: 3 }, 'unsupported_parameter', 'n'],
  [
    'more numbers than an answer holds',
    '/completions',
    { prompt: Array(60).fill(Array(1000).fill(5)), prompt_logprobs: 20, max_tokens: 0 },
    'invalid_value',
    'prompt',
  ],
  ['an empty prompt', '/completions', { ...harness, prompt: [[]] }, 'invalid_value', 'prompt[0]'],
  ['an unknown token', '/completions', { ...harness, prompt: [[1_000_000]] }, 'invalid_value', 'prompt[0]'],
])('%s beside scores is refused, and the field named', async (_, path, body, code, param) => {
  const messages = path === '/completions' ? {} : { messages: [{ role: 'user', content: 'Hi' }] }
  const response = await post({ ...messages, ...body }, { path })
  expect({ status: response.status, body: await response.json() }).toMatchObject({
    status: 400,
    body: { error: { code, param } },
  })
})

test('random bodies get an answer or a refusal in the shape of the dialect, and leave nothing held', async () => {
  const bodies: readonly JsonObject[] = [
    { ...harness, model, prompt: [[349, 1376, 88]] },
    { model, prompt: ['The sky', [5, 6]], max_tokens: 0, prompt_logprobs: 3, return_tokens_as_token_ids: true },
    { ...harness, model, prompt: 'a', prompt_logprobs: 0, best_of: 1, n: 1, stream: false, suffix: '' },
  ]
  const payer = server.payer(10 ** 12)
  const statuses = new Map<number, number>()
  await fc.assert(
    fc.asyncProperty(mutatedJson(bodies), async (text) => {
      const response = await fetch(`${server.baseUrl}/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${payer.key}`, 'content-type': 'application/json' },
        body: text,
      })
      const answer = await response.text()
      statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1)
      if (response.status >= 400) {
        expect(JSON.parse(answer)).toMatchObject({ error: { message: expect.any(String) } })
        expect(response.status).toBeLessThan(500)
      } else expect(response.status).toBe(200)
    }),
    { numRuns: 250, includeErrorInReport: true },
  )
  expect(statuses.get(200)).toBeGreaterThan(12)
  await server.drained()
  expect(payer.money().held).toBe(0)
}, 300_000)
