import { expect, test } from 'bun:test'
import type { ChatEvent } from '../../core/chat.ts'
import { nothingConsumed } from '../../core/usage.ts'
import { answerContext } from '../../testing/answer-context.ts'
import { chunkEncoder } from './chunk-encoder.ts'
import { completionCollector } from './completion.ts'
import { parseChatCompletion } from './parse-request.ts'

const context = {
  ...answerContext(),
  newId: (prefix: string) => `${prefix}1`,
  fingerprint: 'fp_1',
  docsUrl: (code: string) => `/docs/errors#${code}`,
}
const base = '"id":"chatcmpl-1","object":"chat.completion.chunk","created":1700000000,"model":"org/model"'
const head = `data: {${base},"system_fingerprint":"fp_1"`
/** Comment that is sent before anything of the answer is known */
const comment = ': keep-alive\n\n'
const usage = { ...nothingConsumed, promptTokens: 9, cachedTokens: 4, completionTokens: 3, reasoningTokens: 1 }
const start: ChatEvent = { type: 'start', promptTokens: 9, cachedTokens: 4 }
const finish: ChatEvent = { type: 'finish', usage }

/** Returns the encoder of a request with these fields besides the required ones. */
function newEncoder(fields: object = {}) {
  const body = { model: 'org/model', messages: [{ role: 'user', content: 'Hi' }], ...fields }
  return chunkEncoder(parseChatCompletion(body), context)
}

function frames(events: readonly ChatEvent[], fields?: object): string[] {
  const encoder = newEncoder(fields)
  return [...events.flatMap((event) => encoder.push(event)), ...encoder.end()]
}

/** Returns the delta of the only choice in each frame that has one. */
function deltas(list: readonly string[]): unknown[] {
  return list.flatMap((frame) => {
    if (frame === 'data: [DONE]\n\n' || frame === comment) return []
    return JSON.parse(frame.slice('data: '.length)).choices.map((choice: { delta: unknown }) => choice.delta)
  })
}

test('a plain answer is a role chunk, content chunks, a finish chunk and [DONE]', () => {
  expect(
    frames([
      start,
      { type: 'text-delta', choice: 0, text: 'Hel' },
      { type: 'text-delta', choice: 0, text: 'lo "🙂"\n' },
      { type: 'choice-finish', choice: 0, reason: 'stop' },
      finish,
    ]),
  ).toEqual([
    comment,
    `${head},"choices":[{"index":0,"delta":{"role":"assistant","content":""},"logprobs":null,"finish_reason":null}]}\n\n`,
    `${head},"choices":[{"index":0,"delta":{"content":"Hel"},"logprobs":null,"finish_reason":null}]}\n\n`,
    `${head},"choices":[{"index":0,"delta":{"content":"lo \\"🙂\\"\\n"},"logprobs":null,"finish_reason":null}]}\n\n`,
    `${head},"choices":[{"index":0,"delta":{},"logprobs":null,"finish_reason":"stop"}]}\n\n`,
    'data: [DONE]\n\n',
  ])
})

test('tokens of pictures are told apart, in a stream and whole', () => {
  const counted: ChatEvent = { type: 'finish', usage, imageTokens: 5 }
  const details = { cached_tokens: 4, audio_tokens: 0, image_tokens: 5 }
  const [, chunk] = frames([start, counted], { stream_options: { include_usage: true } })
  expect(JSON.parse(chunk?.slice('data: '.length) ?? '').usage.prompt_tokens_details).toEqual(details)
  const collector = completionCollector(
    parseChatCompletion({ model: 'm', messages: [{ role: 'user', content: '' }] }),
    context,
  )
  for (const event of [start, counted]) collector.push(event)
  expect(collector.end().usage.prompt_tokens_details).toEqual(details)
})

test('edge case 1: the usage chunk has no choices, comes after the finish chunk and before [DONE]; the others say null', () => {
  const counts =
    '{"prompt_tokens":9,"completion_tokens":3,"total_tokens":12,"prompt_tokens_details":{"cached_tokens":4,"audio_tokens":0},"completion_tokens_details":{"reasoning_tokens":1,"audio_tokens":0,"accepted_prediction_tokens":0,"rejected_prediction_tokens":0}}'
  expect(
    frames([start, { type: 'choice-finish', choice: 0, reason: 'length' }, finish], {
      stream_options: { include_usage: true },
    }),
  ).toEqual([
    comment,
    `${head},"choices":[{"index":0,"delta":{"role":"assistant","content":""},"logprobs":null,"finish_reason":null}],"usage":null}\n\n`,
    `${head},"choices":[{"index":0,"delta":{},"logprobs":null,"finish_reason":"length"}],"usage":null}\n\n`,
    `${head},"choices":[],"usage":${counts}}\n\n`,
    'data: [DONE]\n\n',
  ])
})

test('edge case 2: the first delta names the role, without text when the answer begins with thinking or with a call', () => {
  const [reasoning] = deltas(frames([start, { type: 'reasoning-delta', choice: 0, text: 'Hm' }]))
  const [call] = deltas(frames([start, { type: 'tool-call-start', choice: 0, index: 0, name: 'f' }]))
  const begun = { index: 0, id: 'call_1', type: 'function', function: { name: 'f', arguments: '' } }
  expect([reasoning, call]).toEqual([
    { role: 'assistant', content: null, reasoning_content: 'Hm' },
    { role: 'assistant', content: null, tool_calls: [begun] },
  ])
})

test('thinking and content never share a delta', () => {
  const list = frames([
    start,
    { type: 'reasoning-delta', choice: 0, text: 'Hm' },
    { type: 'reasoning-delta', choice: 0, text: '' },
    { type: 'text-delta', choice: 0, text: 'Yes' },
  ])
  expect(deltas(list)).toEqual([{ role: 'assistant', content: null, reasoning_content: 'Hm' }, { content: 'Yes' }])
})

test('edge case 3: a call has index and type at first, names itself once and its arguments follow in pieces', () => {
  const list = frames([
    start,
    { type: 'text-delta', choice: 0, text: 'Look:' },
    { type: 'tool-call-start', choice: 0, index: 0, name: 'find' },
    { type: 'tool-call-delta', choice: 0, index: 0, argumentsText: '{"a"' },
    { type: 'tool-call-delta', choice: 0, index: 0, argumentsText: '' },
    { type: 'tool-call-delta', choice: 0, index: 0, argumentsText: ':1}' },
    { type: 'choice-finish', choice: 0, reason: 'tool-calls' },
  ])
  expect(deltas(list).slice(1)).toEqual([
    { content: 'Look:' },
    { tool_calls: [{ index: 0, id: 'call_1', type: 'function', function: { name: 'find', arguments: '' } }] },
    { tool_calls: [{ index: 0, function: { arguments: '{"a"' } }] },
    { tool_calls: [{ index: 0, function: { arguments: ':1}' } }] },
    {},
  ])
  expect(list.at(-2)).toContain('"finish_reason":"tool_calls"')
})

test('edge case 4: a call without arguments ends with an empty object, before the next one begins', () => {
  const list = frames([
    start,
    { type: 'tool-call-start', choice: 0, index: 0, name: 'now' },
    { type: 'tool-call-start', choice: 0, index: 1, name: 'find' },
    { type: 'tool-call-delta', choice: 0, index: 1, argumentsText: '{"b":2}' },
    { type: 'choice-finish', choice: 0, reason: 'tool-calls' },
  ])
  expect(deltas(list).slice(1)).toEqual([
    { tool_calls: [{ index: 0, function: { arguments: '{}' } }] },
    { tool_calls: [{ index: 1, id: 'call_1', type: 'function', function: { name: 'find', arguments: '' } }] },
    { tool_calls: [{ index: 1, function: { arguments: '{"b":2}' } }] },
    {},
  ])
})

test('a call of a custom tool carries its input as plain text, decoded as it comes', () => {
  const list = frames(
    [
      start,
      { type: 'tool-call-start', choice: 0, index: 0, name: 'patch' },
      { type: 'tool-call-delta', choice: 0, index: 0, argumentsText: '{"input":"a\\' },
      { type: 'tool-call-delta', choice: 0, index: 0, argumentsText: 'nb' },
      { type: 'tool-call-delta', choice: 0, index: 0, argumentsText: '"}' },
      { type: 'choice-finish', choice: 0, reason: 'tool-calls' },
    ],
    { tools: [{ type: 'custom', custom: { name: 'patch' } }] },
  )
  const begun = { index: 0, id: 'call_1', type: 'custom', custom: { name: 'patch', input: '' } }
  expect(deltas(list)).toEqual([
    { role: 'assistant', content: null, tool_calls: [begun] },
    { tool_calls: [{ index: 0, custom: { input: 'a' } }] },
    { tool_calls: [{ index: 0, custom: { input: '\nb' } }] },
    {},
  ])
})

test('thinking that is not to be shown leaves no trace', () => {
  const list = frames([start, { type: 'reasoning-delta', choice: 0, text: 'Hm' }], { reasoning: { exclude: true } })
  expect(deltas(list)).toEqual([])
})

test('edge case 15: choices interleave by index, each with its own role and finish, and usage counts once', () => {
  const list = frames(
    [
      start,
      { type: 'text-delta', choice: 1, text: 'b' },
      { type: 'text-delta', choice: 0, text: 'a' },
      { type: 'choice-finish', choice: 1, reason: 'length' },
      { type: 'choice-finish', choice: 0, reason: 'stop' },
      finish,
    ],
    { n: 2, stream_options: { include_usage: true } },
  )
  const chunks = list.slice(1, -1).map((frame) => JSON.parse(frame.slice('data: '.length)))
  expect(chunks.map(({ choices }) => [choices[0]?.index, choices[0]?.finish_reason])).toEqual([
    [1, null],
    [1, null],
    [0, null],
    [0, null],
    [1, 'length'],
    [0, 'stop'],
    [undefined, undefined],
  ])
  expect(chunks.filter((chunk) => chunk.usage !== null)).toHaveLength(1)
})

test('edge case 16: log probabilities carry bytes, also while text is held back', () => {
  const token = { token: '\ufffd', bytes: [240, 159], logprob: -0.5, alternatives: [] }
  const other = { token: 'x', bytes: [120], logprob: Number.NEGATIVE_INFINITY }
  const list = frames([
    start,
    { type: 'text-delta', choice: 0, text: '', logprobs: [token] },
    { type: 'text-delta', choice: 0, text: '🙂', logprobs: [{ ...token, bytes: [153, 130], alternatives: [other] }] },
  ])
  expect(list.slice(2, 4).map((frame) => JSON.parse(frame.slice('data: '.length)).choices[0].logprobs)).toEqual([
    { content: [{ token: '\ufffd', logprob: -0.5, bytes: [240, 159], top_logprobs: [] }], refusal: null },
    {
      content: [
        {
          token: '\ufffd',
          logprob: -0.5,
          bytes: [153, 130],
          top_logprobs: [{ token: 'x', logprob: -9999, bytes: [120] }],
        },
      ],
      refusal: null,
    },
  ])
})

test('thinking comes in OpenRouter’s fields too where the request has its object', () => {
  const list = frames([start, { type: 'reasoning-delta', choice: 0, text: 'Hm' }], { reasoning: {} })
  const detail = { type: 'reasoning.text', text: 'Hm', signature: null, id: null, format: 'unknown', index: 0 }
  expect(deltas(list)).toEqual([
    { role: 'assistant', content: null, reasoning_content: 'Hm', reasoning: 'Hm', reasoning_details: [detail] },
  ])
})

test('the call of a request with functions is a function_call, its name sent once', () => {
  const call = (...texts: string[]) =>
    frames(
      [
        start,
        { type: 'tool-call-start', choice: 0, index: 0, name: 'find' },
        ...texts.map((argumentsText) => ({ type: 'tool-call-delta', choice: 0, index: 0, argumentsText }) as const),
        { type: 'choice-finish', choice: 0, reason: 'tool-calls' },
        finish,
      ],
      { functions: [{ name: 'find' }], function_call: { name: 'find' } },
    )
  const begin = { role: 'assistant', content: null, function_call: { name: 'find', arguments: '' } }
  expect(deltas(call('{"a"', '', ':1}'))).toEqual([
    begin,
    { function_call: { arguments: '{"a"' } },
    { function_call: { arguments: ':1}' } },
    {},
  ])
  expect(deltas(call())).toEqual([begin, { function_call: { arguments: '{}' } }, {}])
  expect(call().at(-2)).toContain('"finish_reason":"function_call"')
})
