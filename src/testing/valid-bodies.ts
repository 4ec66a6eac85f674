/** Bodies of each dialect that are answered with 200 and together use most of its fields. */
import type { JsonObject } from '../core/json.ts'

const model = 'fake'

const weatherSchema: JsonObject = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  properties: {
    city: { type: 'string', description: 'Where' },
    days: { type: 'integer', minimum: 1, maximum: 9_007_199_254_740_991 },
    unit: { enum: ['celsius', 'fahrenheit'] },
    place: { anyOf: [{ $ref: '#/$defs/point' }, { type: 'null' }] },
  },
  required: ['city'],
  additionalProperties: false,
  $defs: {
    point: { type: 'array', items: { type: 'number' }, minItems: 2, maxItems: 2 },
  },
}

const answerSchema: JsonObject = {
  type: 'object',
  properties: { kind: { const: 'answer' }, parts: { type: 'array', items: { type: 'string', pattern: '^[a-z]+$' } } },
  required: ['kind', 'parts'],
  additionalProperties: false,
}

/** Body with functions, the older form of tools. */
const functionBody: JsonObject = {
  model,
  messages: [
    { role: 'user', content: 'Weather?' },
    { role: 'assistant', content: null, function_call: { name: 'weather', arguments: '{"city":"Oslo"}' } },
    { role: 'function', name: 'weather', content: '12 degrees' },
    { role: 'assistant', content: 'Cold.', reasoning_details: [{ type: 'reasoning.text', text: 'Hm.', index: 0 }] },
    { role: 'user', content: 'And tomorrow?' },
  ],
  functions: [{ name: 'weather', description: 'Looks.', parameters: weatherSchema }],
  function_call: { name: 'weather' },
  include_reasoning: true,
  stream: true,
}
export const chatBodies: readonly JsonObject[] = [
  functionBody,
  {
    model,
    messages: [
      { role: 'developer', content: 'Be brief.' },
      {
        role: 'user',
        name: 'ann',
        content: [
          { type: 'text', text: 'Hi' },
          { type: 'text', text: '🙂' },
        ],
      },
      {
        role: 'assistant',
        content: null,
        reasoning_content: 'I should look.',
        tool_calls: [
          { id: 'call_1', type: 'function', function: { name: 'weather', arguments: '{"city":"Oslo"}' } },
          { id: 'call_2', type: 'custom', custom: { name: 'note', input: 'remember' } },
        ],
      },
      { role: 'tool', tool_call_id: 'call_1', content: '12 degrees' },
      { role: 'tool', tool_call_id: 'call_2', content: [{ type: 'text', text: 'noted' }] },
      { role: 'user', content: 'And tomorrow?' },
    ],
    tools: [
      {
        type: 'function',
        function: { name: 'weather', description: 'Looks.', parameters: weatherSchema, strict: true },
      },
      { type: 'custom', custom: { name: 'note', description: 'Notes.', format: { type: 'text' } } },
    ],
    tool_choice: {
      type: 'allowed_tools',
      allowed_tools: { mode: 'auto', tools: [{ type: 'function', function: { name: 'weather' } }] },
    },
    parallel_tool_calls: false,
    stream: true,
    stream_options: { include_usage: true },
  },
  {
    model,
    messages: [{ role: 'user', content: 'List some.' }],
    response_format: { type: 'json_schema', json_schema: { name: 'answer', strict: true, schema: answerSchema } },
    reasoning_effort: 'low',
    reasoning: { enabled: true, max_tokens: 100, exclude: true },
    chat_template_kwargs: { enable_thinking: true },
    thinking: { type: 'enabled' },
    max_completion_tokens: 100,
    temperature: 0.5,
    top_p: 0.9,
    top_k: 40,
    min_p: 0.05,
    presence_penalty: 0.1,
    frequency_penalty: 0.1,
    repeat_penalty: 1.1,
    logit_bias: { '5': -1 },
    seed: 7,
    stop: ['END', 'STOP'],
    n: 2,
    logprobs: true,
    top_logprobs: 2,
    user: 'ann',
    metadata: { a: 'b' },
  },
]

export const responsesBodies: readonly JsonObject[] = [
  {
    model,
    instructions: 'Be brief.',
    input: [
      {
        type: 'message',
        role: 'developer',
        content: [
          { type: 'input_text', text: 'First.' },
          { type: 'input_text', text: 'Second.' },
        ],
      },
      { role: 'user', content: 'Hi', id: 'msg_1' },
      {
        type: 'reasoning',
        id: 'rs_1',
        summary: [{ type: 'summary_text', text: 'short' }],
        content: [{ type: 'reasoning_text', text: 'long' }],
        encrypted_content: null,
      },
      {
        type: 'message',
        role: 'assistant',
        phase: 'commentary',
        status: 'completed',
        content: [{ type: 'output_text', text: 'Looking.', annotations: [] }],
      },
      {
        type: 'function_call',
        id: 'fc_1',
        call_id: 'call_1',
        name: 'look_up',
        namespace: 'mcp__dict',
        arguments: '{"word":"a"}',
        status: 'completed',
      },
      { type: 'custom_tool_call', call_id: 'call_2', name: 'exec', input: 'ls' },
      { type: 'function_call_output', call_id: 'call_1', output: [{ type: 'input_text', text: 'a letter' }] },
      { type: 'custom_tool_call_output', call_id: 'call_2', output: 'a b c' },
      {
        type: 'tool_search_call',
        call_id: 'call_3',
        execution: 'client',
        arguments: { query: 'x' },
        status: 'completed',
      },
      {
        type: 'tool_search_output',
        call_id: 'call_3',
        execution: 'client',
        status: 'completed',
        tools: [{ type: 'function', name: 'found', parameters: {} }],
      },
      {
        type: 'local_shell_call',
        call_id: 'call_4',
        action: { type: 'exec', command: ['ls'], env: {} },
        status: 'completed',
      },
      { type: 'local_shell_call_output', call_id: 'call_4', output: 'x' },
      { type: 'web_search_call', id: 'ws_1', status: 'completed', action: { type: 'search', query: 'q' } },
      { type: 'additional_tools', role: 'developer', tools: [{ type: 'custom', name: 'exec', description: 'Runs.' }] },
      {
        type: 'agent_message',
        id: 'amsg_1',
        author: '/root',
        recipient: '/root/kid',
        content: [
          { type: 'input_text', text: 'Payload:\n' },
          { type: 'encrypted_content', encrypted_content: 'do it' },
        ],
      },
      { type: 'something_new', data: 1 },
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Go on.' }] },
    ],
    tools: [
      { type: 'function', name: 'weather', description: 'Looks.', parameters: weatherSchema, strict: false },
      {
        type: 'namespace',
        name: 'mcp__dict',
        description: 'Words.',
        tools: [
          {
            type: 'function',
            name: 'look_up',
            parameters: { type: 'object', properties: { word: { type: 'string', encrypted: true } } },
          },
        ],
      },
      { type: 'tool_search', execution: 'client', description: 'Finds.', parameters: {} },
      { type: 'local_shell' },
      { type: 'web_search', external_web_access: false },
    ],
    tool_choice: 'auto',
    parallel_tool_calls: true,
    reasoning: { effort: 'low', summary: 'auto' },
    include: ['reasoning.encrypted_content'],
    store: false,
    stream: true,
    prompt_cache_key: 'key',
    client_metadata: { a: 'b' },
    text: { verbosity: 'low' },
  },
  {
    model,
    input: 'Hi',
    text: { format: { type: 'json_schema', name: 'answer', schema: answerSchema, strict: true } },
    max_output_tokens: 50,
    temperature: 1,
    top_p: 1,
    truncation: 'auto',
    metadata: { a: 'b' },
  },
]

export const messagesBodies: readonly JsonObject[] = [
  {
    model,
    max_tokens: 32_000,
    system: [
      { type: 'text', text: 'x-anthropic-billing-header: cc_version=1;' },
      { type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral' } },
    ],
    messages: [
      { role: 'user', content: [{ type: 'text', text: 'Hi' }] },
      { role: 'system', content: 'Reminder.' },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'I should look.', signature: '' },
          { type: 'redacted_thinking', data: 'abc' },
          { type: 'text', text: 'Looking.' },
          { type: 'tool_use', id: 'toolu_1', name: 'weather', input: { city: 'Oslo' } },
          { type: 'tool_use', id: 'toolu_2', name: 'weather', input: { city: 'Rome' } },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'toolu_1', content: [{ type: 'text', text: '12 degrees' }] },
          { type: 'tool_result', tool_use_id: 'toolu_2', is_error: true, content: 'not found' },
          { type: 'text', text: 'And tomorrow?' },
        ],
      },
    ],
    tools: [
      { name: 'weather', description: 'Looks.', input_schema: weatherSchema, cache_control: { type: 'ephemeral' } },
    ],
    tool_choice: { type: 'auto', disable_parallel_tool_use: true },
    thinking: { type: 'enabled', budget_tokens: 1024 },
    metadata: { user_id: '{}' },
    context_management: { edits: [{ type: 'clear_thinking_20251015', keep: 'all' }] },
    stream: true,
  },
  {
    model,
    max_tokens: 20,
    messages: [
      {
        role: 'user',
        content: [
          { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'A page.' } },
          { type: 'text', text: 'What is it?' },
        ],
      },
      { role: 'assistant', content: 'It is' },
    ],
    output_config: { effort: 'low', format: { type: 'json_schema', schema: answerSchema } },
    temperature: 0.5,
    top_p: 0.9,
    top_k: 40,
    stop_sequences: ['END'],
    service_tier: 'auto',
  },
]

/** Bodies without the fields that counting does not accept. */
export const countTokensBodies: readonly JsonObject[] = messagesBodies.map(({ max_tokens, stream, ...body }) => body)
