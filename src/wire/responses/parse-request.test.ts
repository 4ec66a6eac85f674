import { describe, expect, test } from 'bun:test'
import type { ChatRequest } from '../../core/chat.ts'
import { ApiError } from '../../core/errors.ts'
import { chatRequest } from '../../testing/chat-request.ts'
import { plainMessages } from '../../testing/plain-messages.ts'
import { parseModelId } from '../check.ts'
import { parseResponses } from './parse-request.ts'

function parse(fields: Record<string, unknown>): ChatRequest {
  return parseResponses({ model: 'm', input: 'Hi', ...fields }).request
}

function refusal(fields: Record<string, unknown>): { code: string; param: string | undefined } | undefined {
  try {
    parseResponses({ model: 'm', input: 'Hi', ...fields })
  } catch (error) {
    if (!(error instanceof ApiError) || error.kind !== 'invalid_request') throw error
    return { code: error.code, param: error.param }
  }
  return undefined
}

describe('what a body means', () => {
  test('a minimal body asks for one whole answer with everything left to the model', () => {
    const call = parseResponses({ model: 'm', input: 'Hi' })
    expect(call.stream).toBe(false)
    expect(call.request).toEqual(chatRequest())
  })

  test('instructions are the first system message, as text or as items', () => {
    const asked = { role: 'user', content: 'Hi' } as const
    expect(plainMessages(parse({ instructions: 'Be brief.' }).messages)).toEqual([
      { role: 'system', content: 'Be brief.' },
      asked,
    ])
    const items = [{ type: 'message', role: 'developer', content: [{ type: 'input_text', text: 'Be kind.' }] }]
    expect(plainMessages(parse({ instructions: items }).messages)).toEqual([
      { role: 'system', content: 'Be kind.' },
      asked,
    ])
    expect(plainMessages(parse({ instructions: '', input: 'Hi' }).messages)).toEqual([asked])
    expect(plainMessages(parse({ instructions: 'Speak.', input: [] }).messages)).toEqual([
      { role: 'system', content: 'Speak.' },
    ])
  })

  test('sampling fields and limits reach the request', () => {
    const { sampling, maxTokens } = parse({ temperature: 0, top_p: 0.5, max_output_tokens: 7, seed: 3 })
    expect(sampling).toMatchObject({ temperature: 0, topP: 0.5, seed: 3 })
    expect(maxTokens).toBe(7)
  })

  test('null means not given', () => {
    const nothing = Object.fromEntries(
      [
        ...['instructions', 'tools', 'tool_choice', 'stream', 'max_output_tokens', 'reasoning', 'text', 'temperature'],
        ...['top_p', 'include', 'previous_response_id', 'conversation', 'prompt', 'background', 'parallel_tool_calls'],
      ].map((field) => [field, null]),
    )
    expect(parse(nothing)).toEqual(parse({}))
  })

  test('fields that change nothing here are ignored', () => {
    const ignored = {
      store: true,
      background: false,
      truncation: 'auto',
      stream_options: { include_obfuscation: true },
      max_tool_calls: 3,
      prompt_cache_key: 'thread',
      client_metadata: { a: 1 },
      metadata: { a: 'b' },
      user: 'u',
      service_tier: 'auto',
      context_management: [{ type: 'compaction' }],
      nobody_knows: 1,
    }
    expect(parse(ignored)).toEqual(parse({}))
  })

  test('log probabilities are reported where include asks for them', () => {
    expect(parse({ top_logprobs: 5 }).topLogprobs).toBeUndefined()
    const include = ['message.output_text.logprobs', 'file_search_call.results']
    expect(parse({ top_logprobs: 5, include }).topLogprobs).toBe(5)
    expect(parse({ include }).topLogprobs).toBe(0)
  })

  test('edge case 45: text.format is flat, and verbosity is ignored', () => {
    const schema = {
      type: 'object',
      properties: { n: { type: 'integer' } },
      required: ['n'],
      additionalProperties: false,
    }
    const format = { type: 'json_schema', name: 'answer', schema, strict: true }
    expect(parse({ text: { format, verbosity: 'low' } }).answerSchema).toEqual(schema)
    expect(parse({ text: { format: { type: 'json_object' } } }).answerSchema).toEqual({ type: 'object' })
    expect(parse({ text: { format: { type: 'json_schema', name: 'x' } } }).answerSchema).toEqual({ type: 'object' })
    expect(parse({ text: { format: { type: 'text' }, verbosity: 'high' } }).answerSchema).toBeUndefined()
    expect(parse({ text: { verbosity: 'high' } }).answerSchema).toBeUndefined()
  })

  test('edge case 14: a schema with references, enum, const and null needs no strict', () => {
    const schema = {
      type: 'object',
      properties: {
        kind: { enum: ['a', 'b'] },
        fixed: { const: 1 },
        next: { anyOf: [{ $ref: '#/$defs/node' }, { type: 'null' }] },
      },
      required: ['kind'],
      $defs: { node: { type: 'object', properties: { x: { type: 'string' } } } },
    }
    const parsed = parse({ text: { format: { type: 'json_schema', name: 'x', schema } } }).answerSchema
    expect(parsed).toMatchObject({ type: 'object', required: ['kind'] })
  })
})

describe('thinking', () => {
  test.each([
    [{ effort: 'none' }, { mode: 'off' }],
    [{ effort: 'low' }, { mode: 'on', effort: 'low' }],
    [
      { effort: 'ultra', summary: 'detailed' },
      { mode: 'on', effort: 'high' },
    ],
    [{ effort: null, summary: 'auto' }, {}],
    [{ summary: 'auto', context: 'all_turns' }, {}],
    [{ enabled: true }, { mode: 'on' }],
    [{ enabled: false }, { mode: 'off' }],
    [
      { effort: 'high', max_tokens: 100 },
      { mode: 'on', effort: 'high', budgetTokens: 100 },
    ],
  ] as const)('reasoning %j', (reasoning, expected) => {
    expect(parse({ reasoning }).reasoning).toEqual(expected)
  })

  test('it is shown as a summary where one is wished for, as content otherwise, or not at all', () => {
    const shown = [{ summary: 'auto' }, { generate_summary: 'concise' }, { summary: 'none' }, {}, { exclude: true }]
    const forms = shown.map(
      (reasoning) => parseResponses({ model: 'm', input: 'Hi', reasoning }).reasoningStyle?.isSummary,
    )
    expect(forms).toEqual([true, true, false, false, undefined])
  })

  test('what clients of other servers send is understood as in chat', () => {
    expect(parse({ enable_thinking: false }).reasoning).toEqual({ templateMode: 'off' })
    expect(parse({ chat_template_kwargs: { thinking: true, style: 'x' } })).toMatchObject({
      reasoning: { templateMode: 'on' },
      templateVariables: { style: 'x' },
    })
  })

  test('a configuration update in the history sets the effort from there on', () => {
    const input = [
      { role: 'user', content: 'Hi' },
      { type: 'configuration_update', reasoning: { effort: 'low' } },
      { type: 'configuration_update', reasoning: { effort: 'high' } },
      { type: 'configuration_update', reasoning: null },
    ]
    expect(parse({ input, reasoning: { effort: 'none' } }).reasoning).toEqual({ mode: 'on', effort: 'high' })
  })
})

describe('what is refused', () => {
  const deep = JSON.parse(`${'['.repeat(100_000)}${']'.repeat(100_000)}`)

  test.each([
    [
      'edge case 39: an earlier response',
      { previous_response_id: 'resp_1' },
      'unsupported_parameter',
      'previous_response_id',
    ],
    ['edge case 39: a conversation', { conversation: 'conv_1' }, 'unsupported_parameter', 'conversation'],
    ['edge case 39: a conversation object', { conversation: { id: 'c' } }, 'unsupported_parameter', 'conversation'],
    ['edge case 39: background work', { background: true }, 'unsupported_parameter', 'background'],
    ['edge case 39: a stored prompt', { prompt: { id: 'p' } }, 'unsupported_parameter', 'prompt'],
    ['no input', { input: undefined }, 'missing_required_parameter', 'input'],
    ['null as input', { input: null }, 'missing_required_parameter', 'input'],
    ['no items', { input: [] }, 'missing_required_parameter', 'input'],
    ['items that are all passed over', { input: [{ type: 'web_search_call' }] }, 'invalid_value', 'input'],
    ['a number as input', { input: 5 }, 'invalid_value', 'input'],
    ['a text among items', { input: ['Hi'] }, 'invalid_value', 'input[0]'],
    ['an item without type and role', { input: [{ content: 'Hi' }] }, 'invalid_value', 'input[0].type'],
    ['a role nobody has', { input: [{ role: 'critic', content: 'x' }] }, 'invalid_value', 'input[0].role'],
    ['a role that is an object', { input: [{ role: {}, content: 'x' }] }, 'invalid_value', 'input[0].role'],
    ['content of a number', { input: [{ role: 'user', content: 1 }] }, 'invalid_value', 'input[0].content'],
    ['an unknown item', { input: [{ type: 'item_reference', id: 'x' }] }, 'invalid_value', 'input[0]'],
    ['a reference to nothing', { input: [{ type: 'item_reference' }] }, 'missing_required_parameter', 'input[0].id'],
    [
      'a call without name',
      { input: [{ type: 'function_call', call_id: 'c' }] },
      'missing_required_parameter',
      'input[0].name',
    ],
    ['instructions of a number', { instructions: 1 }, 'invalid_value', 'instructions'],
    ['no tokens at all', { max_output_tokens: 0 }, 'invalid_value', 'max_output_tokens'],
    ['a temperature as text', { temperature: '0.5' }, 'invalid_value', 'temperature'],
    ['too many alternatives', { top_logprobs: 21 }, 'invalid_value', 'top_logprobs'],
    ['an unknown effort', { reasoning: { effort: 'much' } }, 'invalid_value', 'reasoning.effort'],
    ['reasoning as text', { reasoning: 'low' }, 'invalid_value', 'reasoning'],
    ['an unknown format', { text: { format: { type: 'xml' } } }, 'invalid_value', 'text.format.type'],
    [
      'a schema that is a text',
      { text: { format: { type: 'json_schema', strict: true, schema: 'object' } } },
      'invalid_schema',
      'text.format.schema',
    ],
    ['very many wishes', { include: Array(2_000).fill('x') }, 'invalid_value', 'include'],
    ['text as text', { text: 'json' }, 'invalid_value', 'text'],
    ['a label too long to be repeated', { user: 'x'.repeat(65_536) }, 'invalid_value', 'user'],
    ['a deep field', { metadata: deep }, 'invalid_value', 'metadata'],
    ['a deep input', { input: [{ role: 'user', content: deep }] }, 'invalid_value', 'input'],
    ['very many items', { input: Array(70_000).fill({ role: 'user', content: '' }) }, 'invalid_value', 'input'],
    [
      'very many parts',
      { input: [{ role: 'user', content: Array(70_000).fill({ type: 'input_text', text: '' }) }] },
      'invalid_value',
      'input',
    ],
  ])('%s', (_, fields, code, param) => {
    expect(refusal(fields)).toEqual({ code, param })
  })

  test('the model is asked for first and alone', () => {
    expect(parseModelId({ model: 'm', input: 5 })).toBe('m')
    expect(() => parseModelId({ input: 'x' })).toThrow("'model' is required")
    expect(() => parseModelId([])).toThrow('The request body must be an object')
  })
})

describe('what the answer repeats', () => {
  test('fields come back as they were sent, or as what is so without them', () => {
    const { echo } = parseResponses({ model: 'm', input: 'Hi' })
    expect(echo).toEqual({
      instructions: null,
      max_output_tokens: null,
      metadata: {},
      parallel_tool_calls: true,
      prompt_cache_key: null,
      reasoning: { effort: null, summary: null },
      safety_identifier: null,
      temperature: null,
      text: { format: { type: 'text' }, verbosity: 'medium' },
      tool_choice: 'auto',
      tools: [],
      top_logprobs: 0,
      top_p: null,
      user: null,
    })
    const sent = {
      instructions: 'Be brief.',
      metadata: { a: 'b' },
      parallel_tool_calls: false,
      reasoning: { effort: 'low', summary: 'auto' },
      temperature: 0.5,
      tool_choice: 'none',
      tools: [{ type: 'namespace', name: 'n', tools: [] }, { type: 'web_search' }],
    }
    expect(parseResponses({ model: 'm', input: 'Hi', ...sent }).echo).toMatchObject(sent)
  })
})
