import { describe, expect, test } from 'bun:test'
import { ApiError } from '../../core/errors.ts'
import { chatRequest } from '../../testing/chat-request.ts'
import { plainMessages } from '../../testing/plain-messages.ts'
import { parseModelId } from '../check.ts'
import { parseChatCompletion } from './parse-request.ts'

const user = { role: 'user', content: 'Hi' }

function parse(fields: Record<string, unknown>) {
  return parseChatCompletion({ model: 'm', messages: [user], ...fields })
}

function refusal(body: unknown): { kind: string; code: string; param: string | undefined } | undefined {
  try {
    parseChatCompletion(body)
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    const { kind, code, param } = error
    return { kind, code, param }
  }
  return undefined
}

describe('what a body means', () => {
  test('a minimal body asks for one whole answer with everything left to the model', () => {
    expect(parse({})).toEqual({
      model: 'm',
      stream: false,
      includeUsage: false,
      customTools: new Set(),
      hidesReasoning: false,
      hasReasoningDetails: false,
      hasFunctions: false,
      request: {
        ...chatRequest(),
        sampling: {
          temperature: undefined,
          topP: undefined,
          topK: undefined,
          minP: undefined,
          presencePenalty: undefined,
          frequencyPenalty: undefined,
          repeatPenalty: undefined,
          logitBias: undefined,
          seed: undefined,
        },
        stop: [],
        maxTokens: undefined,
        choices: 1,
        topLogprobs: undefined,
      },
    })
  })

  test('every sampling field reaches the request', () => {
    const fields = {
      temperature: 0,
      top_p: 0,
      top_k: 40,
      min_p: 0.05,
      presence_penalty: -2,
      frequency_penalty: 2,
      repeat_penalty: 1.1,
      logit_bias: { 5: -100, 17: 3.5, 18: null },
      seed: 7,
    }
    expect(parse(fields).request.sampling).toEqual({
      temperature: 0,
      topP: 0,
      topK: 40,
      minP: 0.05,
      presencePenalty: -2,
      frequencyPenalty: 2,
      repeatPenalty: 1.1,
      logitBias: [
        [5, -100],
        [17, 3.5],
      ],
      seed: 7,
    })
  })

  test('a top_k of -1 means all tokens, and repetition_penalty is another spelling', () => {
    expect(parse({ top_k: -1, repetition_penalty: 1.2 }).request.sampling).toMatchObject({
      topK: 0,
      repeatPenalty: 1.2,
    })
  })

  test.each([
    [0, 0],
    [-1, 4294967295],
    [4294967296, 0],
    [4294967297, 1],
    [-4294967298, 4294967294],
    [9007199254740991, 4294967295],
    [-9223372036854776000, 0],
    [18446744073709552000, 0],
  ])('seed %p is masked to the unsigned 32-bit %p', (seed, masked) => {
    expect(parse({ seed }).request.sampling.seed).toBe(masked)
  })

  test('edge case 11: max_completion_tokens wins over max_tokens, and any size is taken', () => {
    expect(parse({ max_tokens: 5 }).request.maxTokens).toBe(5)
    expect(parse({ max_tokens: 5, max_completion_tokens: 64_000_000 }).request.maxTokens).toBe(64_000_000)
  })

  test('stop is one string or several, and empty ones are dropped', () => {
    expect(parse({ stop: 'END' }).request.stop).toEqual(['END'])
    expect(parse({ stop: ['a', '', 'b', 'c', 'd'] }).request.stop).toEqual(['a', 'b', 'c', 'd'])
    expect(parse({ stop: '' }).request.stop).toEqual([])
  })

  test('log probabilities are off, on without alternatives, or on with some', () => {
    expect(parse({ logprobs: false }).request.topLogprobs).toBeUndefined()
    expect(parse({ logprobs: true }).request.topLogprobs).toBe(0)
    expect(parse({ logprobs: true, top_logprobs: 20 }).request.topLogprobs).toBe(20)
  })

  test('stream and its options are read', () => {
    expect(parse({ stream: true, stream_options: { include_usage: true, include_obfuscation: false } })).toMatchObject({
      stream: true,
      includeUsage: true,
    })
    expect(parse({ stream: true, stream_options: {} })).toMatchObject({ includeUsage: false })
  })

  test('null is the same as absent, for every field', () => {
    const fields = [
      ...['stream', 'stream_options', 'max_tokens', 'max_completion_tokens', 'n', 'temperature', 'top_p', 'top_k'],
      ...['min_p', 'presence_penalty', 'frequency_penalty', 'repeat_penalty', 'repetition_penalty', 'logit_bias'],
      ...['seed', 'logprobs', 'top_logprobs', 'stop', 'parallel_tool_calls', 'tools', 'tool_choice', 'functions'],
      ...['function_call', 'response_format', 'reasoning_effort', 'reasoning', 'thinking', 'chat_template_kwargs'],
      ...['include_reasoning', 'enable_thinking', 'audio', 'modalities', 'web_search_options'],
    ]
    expect(parse(Object.fromEntries(fields.map((field) => [field, null])))).toEqual(parse({}))
  })

  test('fields nobody knows and fields without effect here are ignored', () => {
    const fields = { user: 5, store: true, metadata: [], service_tier: 'x', prediction: {}, made_up: 1, __proto__: [] }
    expect(parse(fields)).toEqual(parse({}))
  })

  test('harmless forms of unsupported fields are ignored', () => {
    const fields = {
      tools: [],
      tool_choice: 'none',
      functions: [],
      function_call: 'none',
      response_format: { type: 'text' },
      modalities: ['text'],
    }
    expect(parse(fields)).toEqual(parse({}))
  })

  test('only the model can be read first', () => {
    expect(parseModelId({ model: 'a/b', messages: 5 })).toBe('a/b')
  })
})

describe('messages', () => {
  function messages(...list: unknown[]) {
    return plainMessages(parse({ messages: list }).request.messages)
  }

  test('edge case 18: developer is system and function is a tool result', () => {
    expect(messages({ role: 'developer', content: 'a' }, { role: 'function', name: 'f', content: 'b' })).toEqual([
      { role: 'system', content: 'a' },
      { role: 'tool', content: 'b', name: 'f', toolCallId: 'f' },
    ])
  })

  test('a function may return nothing', () => {
    expect(messages({ role: 'function', name: 'f', content: null })).toEqual([
      { role: 'tool', content: '', name: 'f', toolCallId: 'f' },
    ])
  })

  test('edge case 12: calls in the history are taken with content null and arguments that are no JSON', () => {
    const call = (id: string, text: unknown) => ({ id, type: 'function', function: { name: 'f', arguments: text } })
    expect(
      messages(
        {
          role: 'assistant',
          content: null,
          tool_calls: [call('a', '{"cmd": '), call('a', ''), call('b', { x: 1 }), { function: { name: 'odd name!' } }],
        },
        { role: 'assistant', tool_calls: [{ id: 'c', custom: { name: 'patch', input: 'a\n"b"' } }] },
        { role: 'tool', content: 'done' },
        { role: 'tool', tool_call_id: 'never seen', content: [{ type: 'text', text: 'done' }] },
      ),
    ).toEqual([
      {
        role: 'assistant',
        content: '',
        toolCalls: [
          { id: 'a', name: 'f', argumentsText: '{"cmd": ' },
          { id: 'a', name: 'f', argumentsText: '' },
          { id: 'b', name: 'f', argumentsText: '{"x":1}' },
          { id: '', name: 'odd name!', argumentsText: '' },
        ],
      },
      {
        role: 'assistant',
        content: '',
        toolCalls: [{ id: 'c', name: 'patch', argumentsText: '{"input":"a\\n\\"b\\""}' }],
      },
      { role: 'tool', content: 'done' },
      { role: 'tool', content: 'done', toolCallId: 'never seen' },
    ])
  })

  test('the function_call of an older client is a call, and its result finds it by name', () => {
    expect(
      messages(
        { role: 'assistant', content: null, function_call: { name: 'f', arguments: '{}' } },
        { role: 'function', name: 'f', content: '5' },
      ),
    ).toEqual([
      { role: 'assistant', content: '', toolCalls: [{ id: 'f', name: 'f', argumentsText: '{}' }] },
      { role: 'tool', content: '5', name: 'f', toolCallId: 'f' },
    ])
  })

  test('thinking is read from details where it stands nowhere else', () => {
    const reasoning_details = [
      { type: 'reasoning.text', text: 'Hm, ' },
      { type: 'reasoning.encrypted', data: 'x', text: 'y' },
      { type: 'reasoning.text', text: 'so.' },
      { type: 'reasoning.text' },
      null,
    ]
    const turn = (fields: object) => messages({ role: 'assistant', content: 'a', reasoning_details, ...fields })
    expect(turn({})).toEqual([{ role: 'assistant', content: 'a', reasoning: 'Hm, so.' }])
    expect(turn({ reasoning: 'b' })).toEqual([{ role: 'assistant', content: 'a', reasoning: 'b' }])
    expect(turn({ reasoning_details: 5 })).toEqual([{ role: 'assistant', content: 'a' }])
  })

  test.each([
    [{ type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA', detail: 'original' } }],
    [{ type: 'image_url', image_url: 'data:image/png;base64,AAAA' }],
    [{ type: 'image_url', image_url: { url: 'https://example.org/a.png', detail: 5 } }],
    [{ type: 'image_url', image_url: {} }],
    [{ type: 'image', data: 'AAAA', mimeType: 'image/png' }],
  ])('edge case 13: the image %j in a tool result is a picture, whatever its form', (part) => {
    const content = [{ type: 'text', text: 'Seen:' }, part]
    for (const role of ['tool', 'function']) {
      expect(messages({ role, name: 'f', content })[0]?.content).toBe('Seen:<messages[0].content[1]>')
    }
  })

  test('pictures and texts of any role stay in their order', () => {
    const texts = ['one', 'two'].map((text) => ({ type: 'text', text }))
    const content = [image, ...texts, image, image, ...texts]
    for (const role of ['user', 'system', 'developer', 'assistant', 'tool']) {
      expect(messages({ role: 'user', content: 'Hi' }, { role, content })[1]?.content).toBe(
        '<messages[1].content[0]>one\ntwo<messages[1].content[3]><messages[1].content[4]>one\ntwo',
      )
    }
  })

  test('edge case 18: any order of roles is taken', () => {
    const list = ['assistant', 'assistant', 'user', 'system', 'tool', 'user', 'user'].map((role) => ({
      role,
      content: '',
    }))
    expect(messages(...list).map((message) => message.role)).toEqual([
      ...(['assistant', 'assistant', 'user', 'system', 'tool', 'user', 'user'] as const),
    ])
  })

  test('tens of thousands of turns are taken', () => {
    expect(messages(...Array(65_536).fill(user)).length).toBe(65_536)
  })

  test('text parts are joined by a line break and cache hints are ignored', () => {
    const content = [
      { type: 'text', text: 'one', cache_control: { type: 'ephemeral' } },
      { type: 'text', text: 'two' },
    ]
    expect(messages({ role: 'user', content })).toEqual([{ role: 'user', content: 'one\ntwo' }])
    expect(messages({ role: 'tool', tool_call_id: 'x', content })).toEqual([
      { role: 'tool', content: 'one\ntwo', toolCallId: 'x' },
    ])
  })

  test('an assistant turn may be a refusal, a refusal part, or thinking alone', () => {
    expect(
      messages(
        { role: 'assistant', content: null, refusal: 'No.' },
        { role: 'assistant', content: [{ type: 'refusal', refusal: 'Never.' }] },
        { role: 'assistant', content: null, reasoning_content: 'Hm.' },
      ),
    ).toEqual([
      { role: 'assistant', content: 'No.' },
      { role: 'assistant', content: 'Never.' },
      { role: 'assistant', content: '', reasoning: 'Hm.' },
    ])
  })

  test('echoed thinking is kept in either spelling and never a reason to refuse', () => {
    expect(
      messages(
        { role: 'assistant', content: 'a', reasoning_content: 'x' },
        { role: 'assistant', content: 'b', reasoning: 'y' },
        { role: 'assistant', content: 'c', reasoning: { strange: true } },
        { role: 'assistant', content: 'd', tool_calls: [] },
      ).map((message) => message.reasoning),
    ).toEqual(['x', 'y', undefined, undefined])
  })

  test('half of a surrogate pair becomes the replacement character', () => {
    expect(messages({ role: 'user', content: 'a\ud83d' })[0]?.content).toBe('a\ufffd')
  })
})

const image = { type: 'image_url', image_url: 'data:image/png;base64,AAAA' }

test.each<[string, unknown, string, string | undefined]>([
  ['an array as body', [], 'invalid_value', undefined],
  ['null as body', null, 'invalid_value', undefined],
  ['text as body', 'hi', 'invalid_value', undefined],
  ['no model', { messages: [user] }, 'missing_required_parameter', 'model'],
  ['null as model', { model: null, messages: [user] }, 'missing_required_parameter', 'model'],
  ['an empty model', { model: '', messages: [user] }, 'invalid_value', 'model'],
  ['a number as model', { model: 4, messages: [user] }, 'invalid_value', 'model'],
  ['no messages', { model: 'm' }, 'missing_required_parameter', 'messages'],
  ['an empty list of messages', { model: 'm', messages: [] }, 'invalid_value', 'messages'],
  ['messages by the million', { model: 'm', messages: Array(65_537).fill(null) }, 'invalid_value', 'messages'],
  [
    'content parts by the million',
    { model: 'm', messages: Array(3).fill({ role: 'user', content: Array(30_000).fill(null) }) },
    'invalid_value',
    'messages',
  ],
  [
    'tool calls by the million',
    { model: 'm', messages: Array(3).fill({ role: 'assistant', tool_calls: Array(30_000).fill(null) }) },
    'invalid_value',
    'messages',
  ],
  ['messages that are no list', { model: 'm', messages: {} }, 'invalid_value', 'messages'],
])('%s is refused', (_, body, code, param) => {
  expect(refusal(body)).toEqual({ kind: 'invalid_request', code, param })
})

test.each<[unknown, string, string]>([
  ['hi', 'invalid_value', 'messages[1]'],
  [null, 'invalid_value', 'messages[1]'],
  [{ content: 'x' }, 'missing_required_parameter', 'messages[1].role'],
  [{ role: 'robot', content: 'x' }, 'invalid_value', 'messages[1].role'],
  [{ role: 5, content: 'x' }, 'invalid_value', 'messages[1].role'],
  [{ role: 'user', content: 5 }, 'invalid_value', 'messages[1].content'],
  [{ role: 'user', content: { type: 'text', text: 'x' } }, 'invalid_value', 'messages[1].content'],
  [{ role: 'user', content: 'x', name: 5 }, 'invalid_value', 'messages[1].name'],
  [{ role: 'tool', content: 'x', tool_call_id: 5 }, 'invalid_value', 'messages[1].tool_call_id'],
  [{ role: 'user', content: ['x'] }, 'invalid_value', 'messages[1].content[0]'],
  [{ role: 'user', content: [{ text: 'x' }] }, 'missing_required_parameter', 'messages[1].content[0].type'],
  [{ role: 'user', content: [{ type: 5 }] }, 'invalid_value', 'messages[1].content[0].type'],
  [{ role: 'user', content: [{ type: 'hologram' }] }, 'invalid_value', 'messages[1].content[0].type'],
  [{ role: 'user', content: [{ type: 'refusal', refusal: 'x' }] }, 'invalid_value', 'messages[1].content[0].type'],
  [{ role: 'user', content: [{ type: 'text', text: 5 }] }, 'invalid_value', 'messages[1].content[0].text'],
  [
    { role: 'user', content: [{ type: 'image_url' }] },
    'missing_required_parameter',
    'messages[1].content[0].image_url',
  ],
  [{ role: 'user', content: [{ ...image, image_url: '' }] }, 'invalid_value', 'messages[1].content[0].image_url'],
  [{ role: 'user', content: [{ ...image, image_url: {} }] }, 'invalid_value', 'messages[1].content[0].image_url.url'],
  [
    { role: 'user', content: [{ type: 'input_audio' }] },
    'missing_required_parameter',
    'messages[1].content[0].input_audio.data',
  ],
  [
    { role: 'user', content: [{ type: 'audio_url', audio_url: { url: 5 } }] },
    'invalid_value',
    'messages[1].content[0].audio_url.url',
  ],
  [{ role: 'assistant', content: [{ type: 'input_audio' }] }, 'unsupported_content', 'messages[1].content[0]'],
  [{ role: 'user', content: [{ type: 'video_url' }] }, 'unsupported_content', 'messages[1].content[0]'],
  [
    { role: 'user', content: [{ type: 'file', file: {} }] },
    'missing_required_parameter',
    'messages[1].content[0].file.file_data',
  ],
  [
    { role: 'user', content: [{ type: 'file', file: { file_id: 'f' } }] },
    'unsupported_content',
    'messages[1].content[0]',
  ],
  [{ role: 'assistant', tool_calls: 'x' }, 'invalid_value', 'messages[1].tool_calls'],
  [{ role: 'assistant', tool_calls: [5] }, 'invalid_value', 'messages[1].tool_calls[0]'],
  [{ role: 'assistant', tool_calls: [{}] }, 'missing_required_parameter', 'messages[1].tool_calls[0].function.name'],
  [{ role: 'assistant', tool_calls: [{ type: 'web' }] }, 'invalid_value', 'messages[1].tool_calls[0].type'],
  [{ role: 'assistant', tool_calls: [{ id: 5 }] }, 'invalid_value', 'messages[1].tool_calls[0].id'],
  [
    { role: 'assistant', tool_calls: [{ function: { name: 'f', arguments: 5 } }] },
    'invalid_value',
    'messages[1].tool_calls[0].function.arguments',
  ],
  [
    { role: 'assistant', tool_calls: [{ type: 'custom', custom: { name: 'f', input: 5 } }] },
    'invalid_value',
    'messages[1].tool_calls[0].custom.input',
  ],
  [{ role: 'assistant', function_call: {} }, 'missing_required_parameter', 'messages[1].function_call.name'],
  [{ role: 'assistant', content: 'x', audio: { id: 'a' } }, 'unsupported_parameter', 'messages[1].audio'],
])('message %j is refused as %s at %s', (message, code, param) => {
  expect(refusal({ model: 'm', messages: [user, message] })).toEqual({ kind: 'invalid_request', code, param })
})

test.each<[string, unknown]>([
  ['temperature', '0.5'],
  ['temperature', -0.1],
  ['temperature', 2.1],
  ['temperature', Number.POSITIVE_INFINITY],
  ['top_p', 1.1],
  ['top_p', -1],
  ['top_k', 1.5],
  ['top_k', -2],
  ['min_p', 2],
  ['presence_penalty', 2.5],
  ['frequency_penalty', -2.5],
  ['repeat_penalty', 0],
  ['repeat_penalty', 101],
  ['repetition_penalty', -1],
  ['logit_bias', []],
  ['logit_bias', { word: 1 }],
  ['logit_bias', { '1.5': 1 }],
  ['logit_bias', { '-1': 1 }],
  ['logit_bias', { '99999999999': 1 }],
  ['seed', 1.5],
  ['seed', '1'],
  ['n', 0],
  ['n', 9],
  ['n', 1.5],
  ['max_tokens', 0],
  ['max_tokens', -2],
  ['max_completion_tokens', 1.5],
  ['stop', 5],
  ['stop', ['a', 5]],
  ['stop', Array.from({ length: 65 }, (_, index) => `${index}`)],
  ['logprobs', 5],
  ['top_logprobs', 5],
  ['stream', 'yes'],
  ['stream_options', 'x'],
  ['parallel_tool_calls', 'no'],
])('%s of %j is refused', (field, value) => {
  expect(refusal({ model: 'm', messages: [user], [field]: value })).toEqual({
    kind: 'invalid_request',
    code: 'invalid_value',
    param: field,
  })
})

test('a logit_bias of very many tokens is refused', () => {
  const bias = Object.fromEntries(Array(20_000).fill(1).entries())
  expect(refusal({ model: 'm', messages: [user], logit_bias: bias })).toMatchObject({ param: 'logit_bias' })
})

test.each<[string, Record<string, unknown>]>([
  ['stream_options.include_usage', { stream_options: { include_usage: 1 } }],
  ['logit_bias.7', { logit_bias: { 7: 101 } }],
  ['logit_bias.7', { logit_bias: { 7: 'x' } }],
  ['top_logprobs', { logprobs: true, top_logprobs: 21 }],
])('the refused field is named %s', (param, fields) => {
  expect(refusal({ model: 'm', messages: [user], ...fields })).toMatchObject({ code: 'invalid_value', param })
})

test.each<[string, unknown]>([
  ['modalities', ['text', 'audio']],
  ['modalities', 'audio'],
  ['audio', { voice: 'alloy' }],
  ['web_search_options', {}],
])('%s of %j is refused as not supported, never ignored', (field, value) => {
  expect(refusal({ model: 'm', messages: [user], [field]: value })).toEqual({
    kind: 'invalid_request',
    code: 'unsupported_parameter',
    param: field,
  })
})

test('include_reasoning shows thinking or hides it', () => {
  expect(parse({ include_reasoning: false })).toMatchObject({ hidesReasoning: true, hasReasoningDetails: false })
  expect(parse({ include_reasoning: true })).toMatchObject({ hidesReasoning: false, hasReasoningDetails: true })
  expect(parse({ reasoning: {} })).toMatchObject({ hidesReasoning: false, hasReasoningDetails: true })
  expect(parse({ reasoning_effort: 'low' })).toMatchObject({ hidesReasoning: false, hasReasoningDetails: false })
})
