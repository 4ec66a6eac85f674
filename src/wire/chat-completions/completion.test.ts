import { expect, test } from 'bun:test'
import type { ChatEvent } from '../../core/chat.ts'
import { nothingConsumed } from '../../core/usage.ts'
import { answerContext } from '../../testing/answer-context.ts'
import { type ChatCompletion, completionCollector } from './completion.ts'
import { parseChatCompletion } from './parse-request.ts'

const start: ChatEvent = { type: 'start', promptTokens: 9, cachedTokens: 4 }
const finish: ChatEvent = {
  type: 'finish',
  usage: { ...nothingConsumed, promptTokens: 9, cachedTokens: 4, completionTokens: 3, reasoningTokens: 1 },
}

/** Returns the answer to a request with these fields besides the required ones. */
function collect(events: readonly ChatEvent[], fields: object = {}): ChatCompletion {
  const call = parseChatCompletion({ model: 'org/model', messages: [{ role: 'user', content: 'Hi' }], ...fields })
  const calls = [1, 2, 3].values()
  const collector = completionCollector(call, {
    ...answerContext(),
    newId: (prefix) => `${prefix}${prefix === 'chatcmpl-' ? 1 : calls.next().value}`,
    fingerprint: 'fp_1',
  })
  for (const event of [start, ...events, finish]) collector.push(event)
  return collector.end()
}

test('a plain answer has every key that clients require', () => {
  expect(
    collect([
      { type: 'text-delta', choice: 0, text: 'Hel' },
      { type: 'text-delta', choice: 0, text: 'lo' },
      { type: 'choice-finish', choice: 0, reason: 'stop' },
    ]),
  ).toEqual({
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1700000000,
    model: 'org/model',
    system_fingerprint: 'fp_1',
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content: 'Hello', refusal: null },
        logprobs: null,
        finish_reason: 'stop',
      },
    ],
    usage: {
      prompt_tokens: 9,
      completion_tokens: 3,
      total_tokens: 12,
      prompt_tokens_details: { cached_tokens: 4, audio_tokens: 0 },
      completion_tokens_details: {
        reasoning_tokens: 1,
        audio_tokens: 0,
        accepted_prediction_tokens: 0,
        rejected_prediction_tokens: 0,
      },
    },
  })
})

test('edge case 10: thinking stands apart, and content is an empty text when only thinking was reached', () => {
  const { choices } = collect([
    { type: 'reasoning-delta', choice: 0, text: 'Let me ' },
    { type: 'reasoning-delta', choice: 0, text: 'see' },
    { type: 'choice-finish', choice: 0, reason: 'length' },
  ])
  expect(choices[0]).toEqual({
    index: 0,
    message: { role: 'assistant', content: '', refusal: null, reasoning_content: 'Let me see' },
    logprobs: null,
    finish_reason: 'length',
  })
})

test('edge case 5: calls alone leave content null and finish as tool_calls, and one without arguments has an empty object', () => {
  const { choices } = collect([
    { type: 'tool-call-start', choice: 0, index: 0, name: 'find' },
    { type: 'tool-call-delta', choice: 0, index: 0, argumentsText: '{"a":' },
    { type: 'tool-call-delta', choice: 0, index: 0, argumentsText: '1}' },
    { type: 'tool-call-start', choice: 0, index: 1, name: 'now' },
    { type: 'choice-finish', choice: 0, reason: 'tool-calls' },
  ])
  expect(choices[0]).toEqual({
    index: 0,
    message: {
      role: 'assistant',
      content: null,
      refusal: null,
      tool_calls: [
        { id: 'call_1', type: 'function', function: { name: 'find', arguments: '{"a":1}' } },
        { id: 'call_2', type: 'function', function: { name: 'now', arguments: '{}' } },
      ],
    },
    logprobs: null,
    finish_reason: 'tool_calls',
  })
})

test('a call of a custom tool comes back as one, with its input as plain text', () => {
  const { choices } = collect(
    [
      { type: 'tool-call-start', choice: 0, index: 0, name: 'patch' },
      { type: 'tool-call-delta', choice: 0, index: 0, argumentsText: '{"input":"a\\nb"}' },
      { type: 'choice-finish', choice: 0, reason: 'tool-calls' },
    ],
    { tools: [{ type: 'custom', custom: { name: 'patch' } }] },
  )
  expect(choices[0]?.message.tool_calls).toEqual([
    { id: 'call_1', type: 'custom', custom: { name: 'patch', input: 'a\nb' } },
  ])
})

test('thinking that is not to be shown is counted all the same', () => {
  const { choices, usage } = collect([{ type: 'reasoning-delta', choice: 0, text: 'Hm' }], {
    reasoning: { exclude: true },
  })
  expect(choices[0]?.message).toEqual({ role: 'assistant', content: '', refusal: null })
  expect(usage.completion_tokens_details.reasoning_tokens).toBe(1)
})

test.each([{ reasoning: { effort: 'low' } }, { include_reasoning: true }])(
  'thinking comes in OpenRouter’s fields too where the request has %j',
  (fields) => {
    const { choices } = collect([{ type: 'reasoning-delta', choice: 0, text: 'Hm' }], fields)
    const detail = { type: 'reasoning.text', text: 'Hm', signature: null, id: null, format: 'unknown', index: 0 }
    expect(choices[0]?.message).toEqual({
      role: 'assistant',
      content: '',
      refusal: null,
      reasoning_content: 'Hm',
      reasoning: 'Hm',
      reasoning_details: [detail],
    })
  },
)

test('the call of a request with functions is a function_call', () => {
  const { choices } = collect(
    [
      { type: 'tool-call-start', choice: 0, index: 0, name: 'find' },
      { type: 'tool-call-delta', choice: 0, index: 0, argumentsText: '{"a":1}' },
      { type: 'choice-finish', choice: 0, reason: 'tool-calls' },
    ],
    { functions: [{ name: 'find', parameters: {} }] },
  )
  expect(choices[0]).toMatchObject({
    message: { role: 'assistant', content: null, function_call: { name: 'find', arguments: '{"a":1}' } },
    finish_reason: 'function_call',
  })
  expect(choices[0]?.message).not.toHaveProperty('tool_calls')
})

test('choices are told apart by index', () => {
  const { choices } = collect(
    [
      { type: 'text-delta', choice: 1, text: 'b' },
      { type: 'text-delta', choice: 0, text: 'a' },
      { type: 'choice-finish', choice: 0, reason: 'stop' },
      { type: 'choice-finish', choice: 1, reason: 'length' },
    ],
    { n: 2 },
  )
  expect(choices.map((choice) => [choice.index, choice.message.content, choice.finish_reason])).toEqual([
    [0, 'a', 'stop'],
    [1, 'b', 'length'],
  ])
})

test('log probabilities of all tokens are listed, an empty list when there were none', () => {
  const token = { token: 'a', bytes: [97], logprob: -0.1 }
  const asked = { logprobs: true }
  const { choices } = collect(
    [
      { type: 'text-delta', choice: 0, text: 'a', logprobs: [{ ...token, alternatives: [token] }] },
      { type: 'text-delta', choice: 0, text: '', logprobs: [{ ...token, alternatives: [] }] },
      { type: 'choice-finish', choice: 0, reason: 'stop' },
    ],
    asked,
  )
  expect(choices[0]?.logprobs).toEqual({
    content: [
      { token: 'a', bytes: [97], logprob: -0.1, top_logprobs: [token] },
      { token: 'a', bytes: [97], logprob: -0.1, top_logprobs: [] },
    ],
    refusal: null,
  })
  const nothing = collect([{ type: 'choice-finish', choice: 0, reason: 'stop' }], asked)
  expect(nothing.choices[0]?.logprobs).toEqual({ content: [], refusal: null })
})
