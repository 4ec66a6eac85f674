import { expect, test } from 'bun:test'
import type { ChatOutput, ChatRequest } from '../../../../core/chat.ts'
import { chatRequest } from '../../../../testing/chat-request.ts'
import { ChatReader } from './chat-reader.ts'

function readerOf(request: Partial<ChatRequest> = {}): ChatReader {
  return new ChatReader({ choice: 0, flavor: 'vllm', request: chatRequest(request) })
}

function usageAfter(...chunks: readonly object[]) {
  const reader = readerOf()
  for (const chunk of chunks) reader.read(JSON.stringify(chunk))
  return reader.usage
}

const counts = { promptTokens: 5, cachedTokens: 0, completionTokens: 2, reasoningTokens: 0 }
const said = { prompt_tokens: 5, completion_tokens: 2 }
const piece = { choices: [{ delta: { content: 'a' } }] }

test.each<[string, object[], object | undefined]>([
  ['with no choices', [{ choices: [], usage: said }], counts],
  ['without choices', [{ usage: said }], counts],
  ['beside a piece', [{ ...piece, usage: said }], counts],
  ['by other names', [{ usage: { input_tokens: 5, output_tokens: 2 } }], counts],
  ['the last of several', [{ usage: { prompt_tokens: 5, completion_tokens: 1 } }, { usage: said }], counts],
  ['not a smaller one', [{ usage: said }, { usage: { prompt_tokens: 4, completion_tokens: 1 } }], counts],
  ['in parts', [{ usage: { prompt_tokens: 5 } }, { usage: { completion_tokens: 2 } }], counts],
  [
    'with details',
    [
      {
        usage: {
          ...said,
          prompt_tokens_details: { cached_tokens: 3 },
          completion_tokens_details: { reasoning_tokens: 1 },
        },
      },
    ],
    { ...counts, cachedTokens: 3, reasoningTokens: 1 },
  ],
  ['with details that are null', [{ usage: { ...said, prompt_tokens_details: null } }], counts],
  [
    'with more cached than there is',
    [{ usage: { ...said, prompt_tokens_details: { cached_tokens: 9 } } }],
    { ...counts, cachedTokens: 5 },
  ],
  ["SGLang's thinking", [{ usage: { ...said, reasoning_tokens: 2 } }], { ...counts, reasoningTokens: 2 }],
  ["DeepSeek's cache", [{ usage: { ...said, prompt_cache_hit_tokens: 2 } }], { ...counts, cachedTokens: 2 }],
  [
    "llama-server's timings",
    [{ timings: { cache_n: 2, prompt_n: 3, predicted_n: 2 } }],
    { ...counts, cachedTokens: 2 },
  ],
  ["llama-server's own form", [{ content: '', tokens_evaluated: 5, tokens_predicted: 2 }], counts],
  [
    'thinking that came in pieces',
    [{ choices: [{ delta: { reasoning: 'a' } }] }, { usage: said }],
    { ...counts, reasoningTokens: 1 },
  ],
  ['nothing', [piece], undefined],
  ['null', [{ usage: null }], undefined],
  ['a negative number', [{ usage: said }, { usage: { ...said, completion_tokens: -1 } }], undefined],
  ['a huge one', [{ usage: { ...said, completion_tokens: 1e18 } }], undefined],
  ['a text', [{ usage: { ...said, prompt_tokens: '5' } }], undefined],
  ['a fraction', [{ usage: { ...said, prompt_tokens: 5.5 } }], undefined],
  ['a prompt of nothing', [{ usage: { ...said, prompt_tokens: 0 } }], undefined],
  [
    'an answer of nothing, which had pieces',
    [piece, piece, { usage: { prompt_tokens: 5, completion_tokens: 0 } }],
    undefined,
  ],
])('usage: %s', (_, chunks, expected) => {
  expect(usageAfter(...chunks)).toEqual(expected as never)
})

test('usage is another object each time that the server counts, and the same in between', () => {
  const reader = readerOf()
  reader.read(JSON.stringify({ usage: said }))
  const first = reader.usage
  reader.read(JSON.stringify(piece))
  expect(reader.usage).toBe(first)
  reader.read(JSON.stringify({ usage: said }))
  expect(reader.usage).not.toBe(first)
  expect(reader.usage).toEqual(first)
})

test('usage counts behind the end too', () => {
  const reader = readerOf()
  reader.read('{"choices":[{"delta":{"content":"a"},"finish_reason":"stop"}]}')
  reader.read(JSON.stringify({ choices: [], usage: said }))
  expect(reader.usage).toEqual(counts)
})

test('pieces are counted: one token each, more in long ones, those of log probabilities where there are any', () => {
  const reader = readerOf()
  const chunk = (delta: object, logprobs?: object) => reader.read(JSON.stringify({ choices: [{ delta, logprobs }] }))
  chunk({ role: 'assistant', content: '' })
  expect(reader.counted).toEqual({ completionTokens: 0, reasoningTokens: 0 })
  chunk({ reasoning: 'Hm' })
  chunk({ content: 'a' })
  chunk({ content: 'x'.repeat(160) })
  chunk({ tool_calls: [{ index: 0, function: { name: 'f' } }] })
  chunk(
    { content: 'abc' },
    {
      content: [
        { token: 'a', logprob: -1 },
        { token: 'bc', logprob: -1 },
      ],
    },
  )
  expect(reader.counted).toEqual({ completionTokens: 1 + 1 + 10 + 1 + 2, reasoningTokens: 1 })
})

function logprobsOf(outputs: readonly ChatOutput[]) {
  return outputs.flatMap((output) =>
    output.type === 'text-delta' && 'logprobs' in output
      ? [[output.text, output.logprobs?.map(({ token }) => token)]]
      : [],
  )
}

const token = (text: string, more: object = {}) => ({
  token: text,
  logprob: -0.5,
  bytes: [...Buffer.from(text)],
  ...more,
})

test('log probabilities come with the text that their tokens begin in', () => {
  const reader = readerOf({ topLogprobs: 1, stop: ['END'] })
  const chunk = (delta: object, ...content: object[]) =>
    reader.read(JSON.stringify({ choices: [{ delta, logprobs: { content } }] }))
  const outputs = [
    ...chunk({ reasoning: 'Hm' }, token('Hm')),
    ...chunk({ content: 'aE' }, token('a'), token('E')),
    ...chunk({ content: 'N' }, token('N')),
    ...chunk({ content: '' }, token('\ufffd', { bytes: [240, 159] })),
    ...chunk({ content: '🙂' }, token('\ufffd', { bytes: [153, 130] })),
    ...chunk({ content: 'b' }, token('b')),
    ...reader.read(
      '{"choices":[{"delta":{},"finish_reason":"stop","logprobs":{"content":[{"token":"</s>","logprob":0}]}}]}',
    ),
  ]
  expect(logprobsOf(outputs)).toEqual([
    ['a', ['a']],
    ['EN🙂', ['E', 'N', '\ufffd', '\ufffd']],
    ['b', ['b']],
  ])
})

test('alternatives are as many as are wanted, bytes are made where none came', () => {
  const alternatives = [
    { token: 'é', logprob: -1 },
    { token: 'x', logprob: -2 },
  ]
  const read = (topLogprobs: number) => {
    const content = [{ token: 'é', logprob: -1, bytes: null, top_logprobs: alternatives }]
    return readerOf({ topLogprobs }).read(
      JSON.stringify({ choices: [{ delta: { content: 'é' }, logprobs: { content } }] }),
    )
  }
  const own = { token: 'é', bytes: [195, 169], logprob: -1 }
  expect(read(1)).toEqual([{ type: 'text-delta', choice: 0, text: 'é', logprobs: [{ ...own, alternatives: [own] }] }])
  expect(read(0)).toEqual([{ type: 'text-delta', choice: 0, text: 'é', logprobs: [{ ...own, alternatives: [] }] }])
})

test('lists of completions are read too, the likeliest alternatives first', () => {
  const logprobs = { tokens: ['a', 'b'], token_logprobs: [null, -2], top_logprobs: [null, { x: -3, b: -2, y: -4 }] }
  const [output] = readerOf({ topLogprobs: 2 }).read(JSON.stringify({ choices: [{ text: 'ab', logprobs }] }))
  const toToken = (text: string, logprob: number) => ({ token: text, bytes: [...Buffer.from(text)], logprob })
  const b = { ...toToken('b', -2), alternatives: [toToken('b', -2), toToken('x', -3)] }
  expect(output).toEqual({ type: 'text-delta', choice: 0, text: 'ab', logprobs: [b] })
})

test('long answers cost what their length is', () => {
  const time = (pieces: number) => {
    const reader = readerOf({ tools: [{ name: 'f', parameters: {} }], stop: ['END'] })
    const delta = (fields: object) => JSON.stringify({ choices: [{ delta: fields }] })
    const call = (text: string) => delta({ tool_calls: [{ index: 0, function: { name: 'f', arguments: text } }] })
    const start = performance.now()
    reader.read(call('{"a":"'))
    for (let n = 0; n < pieces; n++) reader.read(call('x'.repeat(100)))
    reader.read(call('"}'))
    for (let n = 0; n < pieces; n++) reader.read(delta({ content: 'E'.repeat(100) }))
    return performance.now() - start
  }
  time(2_000)
  expect(time(20_000)).toBeLessThan(40 * time(2_000) + 200)
})

test('what is longer than any token is no token, and bytes that are too many are made anew', () => {
  const reader = readerOf({ topLogprobs: 1 })
  const long = { token: 'x'.repeat(257), logprob: -1 }
  const content = [
    { token: 'a', logprob: -1, bytes: Array.from({ length: 1000 }, () => 1), top_logprobs: [long] },
    { ...long, top_logprobs: [] },
  ]
  const choices = [{ index: 0, delta: { content: 'a' }, logprobs: { content }, finish_reason: null }]
  expect(reader.read(JSON.stringify({ choices }))).toEqual([
    {
      type: 'text-delta',
      choice: 0,
      text: 'a',
      logprobs: [{ token: 'a', bytes: [97], logprob: -1, alternatives: [] }],
    },
  ])
})
