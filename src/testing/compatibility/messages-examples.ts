import {
  answerSchema,
  type ExampleSections,
  type Examples,
  fields,
  guidedFields,
  mapValues,
  parameters,
  toolChoices,
  tools,
  user,
} from './example.ts'
import { messagesTool } from './plain-bodies.ts'

const text = { text: 'b' }

const countedFields = {
  ...fields({
    model: 'org/other',
    messages: [user, user],
    system: 'Be brief.',
    tools: [{ ...messagesTool, name: 'other' }],
    tool_choice: { type: 'any' },
    thinking: { type: 'disabled' },
    output_config: { effort: 'low' },
    output_format: { type: 'json_schema', schema: answerSchema },
    mcp_servers: [{ type: 'url', url: 'http://localhost', name: 'a' }],
    thread: { type: 'continue', previous_message_id: 'msg_1' },
    cache_control: { type: 'ephemeral' },
    context_management: { edits: [{ type: 'clear_thinking_20251015', keep: 'all' }] },
    speed: 'fast',
    betas: ['a'],
    billing_policy: { type: 'billing_policy', bill_to: 'self' },
    user_profile_id: 'a',
    workspace_id: 'a',
  }),
}

const answerFields = {
  max_tokens: 7,
  stream: true,
  stop_sequences: ['END'],
  temperature: 0.5,
  top_p: 0.5,
  top_k: 5,
}

/** Examples for all rows of messages, and of counting their tokens, in docs/reference/fields.md. */
export const messagesSections: ExampleSections = {
  'messages: Request fields': {
    dialect: 'messages',
    examples: {
      ...countedFields,
      ...fields({
        ...answerFields,
        repetition_detection: false,
        ...guidedFields,
        compaction: { type: 'summarize' },
        metadata: { user_id: 'a' },
        service_tier: 'auto',
        inference_geo: 'a',
        container: 'a',
        diagnostics: {},
        fallbacks: [],
        fallback_credit_token: 'a',
      }),
    },
  },
  'messages: Content blocks': {
    dialect: 'messages',
    examples: blocks({
      text: ['user', text],
      tool_use: ['assistant', { id: 't1', name: 'find', input: {} }],
      tool_result: ['user', { tool_use_id: 't0', content: 'a' }],
      thinking: ['assistant', { thinking: 'b', signature: '' }],
      redacted_thinking: ['assistant', { data: 'AA' }],
      document: ['user', { source: { type: 'text', media_type: 'text/plain', data: 'a' } }],
      search_result: ['user', { source: 'a', title: 'b', content: [{ type: 'text', text: 'c' }] }],
      image: ['user', { source: { type: 'base64', media_type: 'image/png', data: 'AA==' } }],
      web_search_tool_result: [
        'assistant',
        { tool_use_id: 's1', content: [{ type: 'web_search_result', title: 'a' }] },
      ],
      web_fetch_tool_result: ['assistant', { tool_use_id: 's1', content: { type: 'web_fetch_result', url: 'a' } }],
      code_execution_tool_result: ['assistant', { tool_use_id: 's1', content: { stdout: 'a' } }],
      bash_code_execution_tool_result: ['assistant', { tool_use_id: 's1', content: { stdout: 'a' } }],
      text_editor_code_execution_tool_result: ['assistant', { tool_use_id: 's1', content: { content: 'a' } }],
      tool_search_tool_result: ['assistant', { tool_use_id: 's1', content: { error_code: 'a' } }],
      mcp_tool_result: ['assistant', { tool_use_id: 's1', content: [{ type: 'text', text: 'b' }] }],
      advisor_tool_result: ['assistant', { tool_use_id: 's1', content: { text: 'b' } }],
      compaction: ['assistant', { content: 'b' }],
      server_tool_use: ['assistant', { id: 's1', name: 'web_search', input: {} }],
      mcp_tool_use: ['assistant', { id: 's1', name: 'find', server_name: 'a', input: {} }],
      mcp_tool_listing: ['assistant', { server_name: 'a', tools: [] }],
      container_upload: ['user', { file_id: 'a' }],
      fallback: ['assistant', { from: {}, to: {} }],
      tool_addition: ['system', { tool: { type: 'tool_definition', definition: { ...messagesTool, name: 'other' } } }],
      tool_removal: ['system', { tool: { type: 'tool_reference', name: 'find' } }],
    }),
  },
  'messages: Tools': {
    dialect: 'messages',
    examples: {
      ...tools(messagesTool, { custom: { type: 'custom', name: 'other', input_schema: parameters } }),
      ...vendorTools({
        'bash_*': 'bash_20250124',
        'text_editor_*': 'text_editor_20250728',
        'memory_*': 'memory_20250818',
        'browser_toolset_*': 'browser_toolset_20260801',
        'web_search_*': 'web_search_20260318',
        'web_fetch_*': 'web_fetch_20260318',
        'code_execution_*': 'code_execution_20260521',
        'tool_search_tool_*': 'tool_search_tool_bm25',
        'advisor_*': 'advisor_20260301',
        mcp_toolset: 'mcp_toolset',
        'computer_*': 'computer_20251124',
      }),
    },
  },
  'messages: tool_choice': {
    dialect: 'messages',
    examples: toolChoices({
      auto: { type: 'auto' },
      any: { type: 'any' },
      tool: { type: 'tool', name: 'find' },
      none: { type: 'none' },
    }),
  },
  'messages/count_tokens: Request fields': {
    dialect: 'messages/count_tokens',
    examples: { ...countedFields, ...fields({ ...answerFields, compaction: { type: 'summarize' } }) },
  },
}

function blocks(
  values: Readonly<Record<string, readonly [role: 'user' | 'assistant' | 'system', block: object]>>,
): Examples {
  const before = [user, { role: 'assistant', content: [{ type: 'tool_use', id: 't0', name: 'find', input: {} }] }]
  return mapValues(values, ([role, block], type) => {
    const messages = (extra: readonly object[]) => ({
      messages: [...before, { role, content: [...extra, { type: 'text', text: 'a' }] }, user],
    })
    return { body: messages([{ type, ...block }]), without: messages([]) }
  })
}

function vendorTools(types: Readonly<Record<string, string>>): Examples {
  return tools(
    messagesTool,
    mapValues(types, (type) => ({ type, name: 'other' })),
  )
}
