import { describe, expect, test } from 'bun:test'
import { textContent } from '../../core/content.ts'
import { ApiError } from '../../core/errors.ts'
import { parseModelId } from '../check.ts'
import { parseCountedRequest, parseMessagesCall } from './parse-request.ts'

const base = { model: 'fake', max_tokens: 100, messages: [{ role: 'user', content: 'Hi' }] }
const schema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }
const tool = { name: 'weather', description: 'Looks.', input_schema: schema }

function request(fields: object = {}) {
  return parseMessagesCall({ ...base, ...fields }).request
}

/** Returns code and `param` of the refusal. */
function refusal(body: unknown): string {
  try {
    parseMessagesCall(body)
  } catch (error) {
    if (error instanceof ApiError) return `${error.code} ${error.param}`
    throw error
  }
  return 'accepted'
}

test('a small body is a request with nothing decided but what the dialect decides', () => {
  expect(parseMessagesCall(base)).toEqual({
    model: 'fake',
    stream: false,
    thinkingDisplay: 'none',
    request: {
      messages: [{ role: 'user', content: textContent('Hi') }],
      sampling: {},
      stop: [],
      maxTokens: 100,
      choices: 1,
      tools: [],
      toolChoice: { mode: 'auto' },
      parallelToolCalls: true,
      reasoning: { mode: 'off' },
    },
  })
})

test('sampling, stop sequences and streaming arrive in canonical form', () => {
  const call = parseMessagesCall({
    ...base,
    stream: true,
    temperature: 1.5,
    top_p: 0.9,
    top_k: 40,
    stop_sequences: ['END', '', 'END', 'STOP'],
  })
  expect(call.stream).toBe(true)
  expect(call.request).toMatchObject({ sampling: { temperature: 1.5, topP: 0.9, topK: 40 }, stop: ['END', 'STOP'] })
  expect(request({ top_k: -1, top_p: -1 }).sampling).toMatchObject({ topK: undefined, topP: undefined })
})

test('null is not given', () => {
  const nulls = { stream: null, temperature: null, system: null, tools: null, tool_choice: null, thinking: null }
  expect(parseMessagesCall({ ...base, ...nulls, output_config: null, mcp_servers: null })).toEqual(
    parseMessagesCall(base),
  )
})

test('edge case 55: fields that mean nothing here are ignored', () => {
  const call = parseMessagesCall({
    ...base,
    context_management: { edits: [{ type: 'clear_thinking_20251015', keep: 'all' }] },
    metadata: { user_id: '{"device_id":"a"}' },
    service_tier: 'auto',
    container: 'c',
    inference_geo: 'eu',
    cache_control: { type: 'ephemeral' },
    betas: ['a'],
    diagnostics: {},
    speed: 'fast',
    user_profile_id: 'u',
    workspace_id: 'w',
    fallbacks: [],
    mcp_servers: [],
    output_config: { something: 'new' },
    something_else: 1,
  })
  expect(call).toEqual(parseMessagesCall(base))
})

describe('thinking', () => {
  test.each([
    ['edge case 50: absent is off', {}, { mode: 'off' }, 'none'],
    ['disabled is off', { thinking: { type: 'disabled' } }, { mode: 'off' }, 'none'],
    [
      'enabled is on, within a budget',
      { thinking: { type: 'enabled', budget_tokens: 1024 } },
      { mode: 'on', budgetTokens: 1024 },
      'whole',
    ],
    [
      'a budget may be small and larger than max_tokens',
      { thinking: { type: 'enabled', budget_tokens: 5000 } },
      { mode: 'on', budgetTokens: 5000 },
      'whole',
    ],
    ['edge case 50: adaptive is on', { thinking: { type: 'adaptive' } }, { mode: 'on' }, 'whole'],
    ['a kind of the future is on', { thinking: { type: 'between_tools' } }, { mode: 'on' }, 'whole'],
    ['it can be summarized', { thinking: { type: 'adaptive', display: 'summarized' } }, { mode: 'on' }, 'whole'],
    ['its text can be left out', { thinking: { type: 'adaptive', display: 'omitted' } }, { mode: 'on' }, 'omitted'],
    [
      'an effort goes with it',
      { thinking: { type: 'adaptive' }, output_config: { effort: 'max' } },
      { mode: 'on', effort: 'high' },
      'whole',
    ],
    ['an effort alone does not switch it on', { output_config: { effort: 'high' } }, { mode: 'off' }, 'none'],
    [
      'an effort does not switch it on again',
      { thinking: { type: 'disabled' }, output_config: { effort: 'low' } },
      { mode: 'off' },
      'none',
    ],
    [
      'no effort is off',
      { thinking: { type: 'adaptive' }, output_config: { effort: 'none' } },
      { mode: 'off' },
      'none',
    ],
  ] as const)('%s', (_, fields, reasoning, display) => {
    const call = parseMessagesCall({ ...base, ...fields })
    expect(call.request.reasoning).toEqual(reasoning)
    expect(call.thinkingDisplay).toBe(display)
  })
})

describe('formats', () => {
  test('the schema of the answer has an old place and a new one, which wins', () => {
    const format = { type: 'json_schema', schema }
    const other = { type: 'json_schema', schema: { ...schema, required: [] } }
    const expected = request({ output_config: { format } }).answerSchema
    expect(expected).toMatchObject({ type: 'object', required: ['city'] })
    expect(request({ output_format: format }).answerSchema).toEqual(expected)
    expect(request({ output_config: { format }, output_format: other }).answerSchema).toEqual(expected)
  })

  test('a keyword that no grammar holds is left to the model', () => {
    const odd = { ...schema, minProperties: 1, not: { type: 'string' } }
    expect(refusal({ ...base, output_config: { format: { type: 'json_schema', schema: odd } } })).toBe('accepted')
  })
})

describe('tools', () => {
  test('a tool has its schema, whatever hints it carries', () => {
    const hints = { type: 'custom', cache_control: { type: 'ephemeral' }, defer_loading: true, input_examples: [{}] }
    const [plain] = request({ tools: [tool] }).tools
    expect(plain).toMatchObject({ name: 'weather', description: 'Looks.', parameters: schema })
    expect(request({ tools: [{ ...tool, ...hints, eager_input_streaming: true, strict: null }] }).tools).toEqual(
      request({ tools: [tool] }).tools,
    )
    expect(request({ tools: [{ ...tool, type: null }] }).tools).toHaveLength(1)
  })

  test('names may be long, and have the dots and underscores of tool servers', () => {
    const name = `mcp__server.one__${'x'.repeat(100)}`
    expect(request({ tools: [{ ...tool, name }] }).tools[0]?.name).toBe(name)
  })

  test.each([
    ...['web_search_20250305', 'web_fetch_20260309', 'code_execution_20260521', 'bash_20250124', 'mcp_toolset'],
    ...['text_editor_20250728', 'memory_20250818', 'tool_search_tool_regex_20251119', 'browser_toolset_20260801'],
  ])('a tool of the type %s is left out', (type) => {
    const tools = [{ type, name: 'its_name' }, tool]
    expect(request({ tools }).tools.map(({ name }) => name)).toEqual(['weather'])
  })

  test.each([
    ['absent', undefined, { mode: 'auto' }, true],
    ['auto', { type: 'auto' }, { mode: 'auto' }, true],
    ['any', { type: 'any' }, { mode: 'required' }, true],
    ['none', { type: 'none' }, { mode: 'none' }, true],
    ['a tool', { type: 'tool', name: 'weather' }, { mode: 'required', allowed: ['weather'] }, false],
    ['one call at a time', { type: 'auto', disable_parallel_tool_use: true }, { mode: 'auto' }, false],
    ['one forced call', { type: 'any', disable_parallel_tool_use: true }, { mode: 'required' }, false],
  ])('the choice %s', (_, tool_choice, toolChoice, parallelToolCalls) => {
    expect(request({ tools: [tool], tool_choice })).toMatchObject({ toolChoice, parallelToolCalls })
  })

  test('a wish for a call needs a tool to call', () => {
    expect(refusal({ ...base, tool_choice: { type: 'any' } })).toBe('invalid_value tool_choice')
    expect(refusal({ ...base, tool_choice: { type: 'auto' } })).toBe('accepted')
  })
})

test('what is counted is what would be asked', () => {
  const { max_tokens, ...prompt } = { ...base, system: 'Be brief.', tools: [tool], thinking: { type: 'adaptive' } }
  const { maxTokens, ...asked } = parseMessagesCall({ ...prompt, max_tokens }).request
  expect(parseCountedRequest(prompt)).toEqual(asked)
})

test('the model is read from a body whose other fields are wrong', () => {
  expect(parseModelId({ model: 'a', messages: 5 })).toBe('a')
})

const long = (count: number, of: unknown) => Array.from({ length: count }, () => of)
test.each([
  ['no object', 5, 'invalid_value undefined'],
  ['no model', { ...base, model: null }, 'missing_required_parameter model'],
  ['an empty model', { ...base, model: '' }, 'invalid_value model'],
  ['no messages', { ...base, messages: null }, 'missing_required_parameter messages'],
  ['empty messages', { ...base, messages: [] }, 'invalid_value messages'],
  ['too many messages', { ...base, messages: long(65_537, base.messages[0]) }, 'invalid_value messages'],
  ['no max_tokens', { ...base, max_tokens: null }, 'missing_required_parameter max_tokens'],
  ['max_tokens 0', { ...base, max_tokens: 0 }, 'invalid_value max_tokens'],
  ['max_tokens 1.5', { ...base, max_tokens: 1.5 }, 'invalid_value max_tokens'],
  ['a stream that is text', { ...base, stream: 'yes' }, 'invalid_value stream'],
  ['a temperature that is text', { ...base, temperature: '1' }, 'invalid_value temperature'],
  ['a temperature above 2', { ...base, temperature: 2.1 }, 'invalid_value temperature'],
  ['top_p above 1', { ...base, top_p: 1.1 }, 'invalid_value top_p'],
  ['top_k below -1', { ...base, top_k: -2 }, 'invalid_value top_k'],
  ['stop_sequences that are text', { ...base, stop_sequences: 'a' }, 'invalid_value stop_sequences'],
  ['a stop sequence that is a number', { ...base, stop_sequences: ['a', 5] }, 'invalid_value stop_sequences[1]'],
  [
    'too many stop_sequences',
    { ...base, stop_sequences: Array.from({ length: 65 }, (_, index) => `${index}`) },
    'invalid_value stop_sequences',
  ],
  ['mcp_servers', { ...base, mcp_servers: [{ type: 'url', url: 'http://a' }] }, 'unsupported_parameter mcp_servers'],
  ['mcp_servers that are text', { ...base, mcp_servers: 'a' }, 'invalid_value mcp_servers'],
  ['thinking that is text', { ...base, thinking: 'yes' }, 'invalid_value thinking'],
  ['thinking without type', { ...base, thinking: {} }, 'missing_required_parameter thinking.type'],
  [
    'a budget of nothing',
    { ...base, thinking: { type: 'enabled', budget_tokens: 0 } },
    'invalid_value thinking.budget_tokens',
  ],
  ['an output_config that is text', { ...base, output_config: 'a' }, 'invalid_value output_config'],
  ['an unknown effort', { ...base, output_config: { effort: 'mild' } }, 'invalid_value output_config.effort'],
  [
    'an unknown format',
    { ...base, output_config: { format: { type: 'xml', schema } } },
    'invalid_value output_config.format.type',
  ],
  ['a format that is text', { ...base, output_format: 'json' }, 'invalid_value output_format'],
  [
    'a format without schema',
    { ...base, output_config: { format: { type: 'json_schema' } } },
    'missing_required_parameter output_config.format.schema',
  ],
  ['tools that are text', { ...base, tools: 'a' }, 'invalid_value tools'],
  ['too many tools', { ...base, tools: long(10_000, tool) }, 'invalid_value tools'],
  ['a tool that is text', { ...base, tools: ['a'] }, 'invalid_value tools[0]'],
  ['a tool without name', { ...base, tools: [{ input_schema: schema }] }, 'missing_required_parameter tools[0].name'],
  ['an odd tool name', { ...base, tools: [{ ...tool, name: 'a b' }] }, 'invalid_value tools[0].name'],
  [
    'a tool of the other dialect',
    { ...base, tools: [{ type: 'function', function: tool }] },
    'invalid_value tools[0].type',
  ],
  ['two tools of one name', { ...base, tools: [tool, tool] }, 'tool_name_conflict tools[1].name'],
  [
    'a tool that moves the mouse',
    { ...base, tools: [{ type: 'computer_20250124', name: 'computer' }] },
    'unsupported_parameter tools[0]',
  ],
  ['a choice that is text', { ...base, tools: [tool], tool_choice: 'auto' }, 'invalid_value tool_choice'],
  ['an unknown choice', { ...base, tools: [tool], tool_choice: { type: 'all' } }, 'invalid_value tool_choice.type'],
  ['a choice of no tool', { ...base, tools: [tool], tool_choice: { type: 'tool' } }, 'invalid_value tool_choice.name'],
  [
    'a choice of another tool',
    { ...base, tools: [tool], tool_choice: { type: 'tool', name: 'other' } },
    'invalid_value tool_choice',
  ],
])('%s is refused by name', (_, body, expected) => {
  expect(refusal(body)).toBe(expected)
})
