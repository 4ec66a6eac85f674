import {
  type ExampleSections,
  type Examples,
  fields,
  guidedFields,
  mapValues,
  sampling,
  toolChoices,
  tools,
  user,
} from './example.ts'
import { responsesTool } from './plain-bodies.ts'

const text = { text: 'b' }

/** Examples for all rows of responses in docs/reference/fields.md. */
export const responsesSections: ExampleSections = {
  'responses: Request fields': {
    dialect: 'responses',
    examples: {
      ...fields({
        model: 'org/other',
        input: 'Hello',
        instructions: 'Be brief.',
        stream: true,
        max_output_tokens: 5,
        temperature: 0.5,
        top_p: 0.5,
        ...sampling,
        tools: [],
        tool_choice: 'required',
        parallel_tool_calls: false,
        reasoning: { summary: 'auto' },
        text: { format: { type: 'json_object' } },
        include: ['reasoning.encrypted_content'],
        reasoning_effort: 'low',
        thinking: { type: 'disabled' },
        enable_thinking: false,
        repetition_detection: false,
        ...guidedFields,
        chat_template_kwargs: { style: 'short' },
        previous_response_id: 'resp_1',
        conversation: 'conv_1',
        prompt: { id: 'pmpt_1' },
        background: true,
        store: false,
        metadata: { a: 'b' },
        user: 'a',
        safety_identifier: 'a',
        prompt_cache_key: 'a',
        prompt_cache_options: {},
        prompt_cache_retention: '24h',
        truncation: 'auto',
        max_tool_calls: 3,
        stream_options: { include_obfuscation: true },
        service_tier: 'flex',
        context_management: [{ type: 'compaction', compact_threshold: 5 }],
        moderation: { model: 'a' },
        access_programs: {},
        image: {},
      }),
      top_logprobs: {
        body: { include: ['message.output_text.logprobs'], top_logprobs: 3 },
        without: { include: ['message.output_text.logprobs'] },
      },
    },
  },
  'responses: Input items': {
    dialect: 'responses',
    examples: items({
      message: { role: 'developer', content: 'a' },
      reasoning: { id: 'rs_1', summary: [{ type: 'summary_text', text: 'a' }] },
      function_call: { call_id: 'c2', name: 'find', arguments: '{}' },
      function_call_output: { call_id: 'c1', output: [{ type: 'input_image', image_url: 'data:,' }] },
      custom_tool_call: { call_id: 'c2', name: 'exec', input: 'ls' },
      custom_tool_call_output: { call_id: 'c1', output: 'a' },
      local_shell_call: { call_id: 'c2', action: { type: 'exec', command: ['ls'], env: {} } },
      local_shell_call_output: { id: 'c1', output: 'a' },
      shell_call: { call_id: 'c2', action: { commands: ['ls'] } },
      shell_call_output: {
        call_id: 'c1',
        output: [{ stdout: 'a', stderr: '', outcome: { type: 'exit', exit_code: 0 } }],
      },
      apply_patch_call: { call_id: 'c2', operation: { type: 'delete_file', path: 'a' } },
      apply_patch_call_output: { call_id: 'c1', status: 'completed' },
      tool_search_call: { call_id: 'c2', execution: 'client', arguments: { query: 'a' } },
      tool_search_output: { call_id: 'c1', execution: 'client', tools: [] },
      mcp_call: { id: 'mcp_1', name: 'find', server_label: 'a', arguments: '{}', output: 'b' },
      additional_tools: { role: 'developer', tools: [{ type: 'function', name: 'other' }] },
      agent_message: { content: [{ type: 'encrypted_content', encrypted_content: 'in clear' }] },
      configuration_update: { reasoning: { effort: 'low' } },
      item_reference: { id: 'msg_1' },
      compaction: { encrypted_content: 'a' },
      compaction_trigger: {},
      web_search_call: { id: 'ws_1', status: 'completed', action: { type: 'search', query: 'a' } },
      file_search_call: { id: 'fs_1', status: 'completed', queries: ['a'] },
      code_interpreter_call: { id: 'ci_1', status: 'completed', code: 'a', container_id: 'b', outputs: null },
      image_generation_call: { id: 'ig_1', status: 'completed', result: null },
      computer_call: { id: 'cu_1', call_id: 'c2', pending_safety_checks: [], status: 'completed' },
      computer_call_output: { call_id: 'c2', output: { type: 'computer_screenshot' } },
      mcp_list_tools: { id: 'mcpl_1', server_label: 'a', tools: [] },
      mcp_approval_request: { id: 'mcpr_1', server_label: 'a', name: 'find', arguments: '{}' },
      mcp_approval_response: { approval_request_id: 'mcpr_1', approve: true },
      program: { id: 'a' },
      program_output: { id: 'a' },
    }),
  },
  'responses: Content parts': {
    dialect: 'responses',
    examples: responsesParts({
      input_text: text,
      output_text: text,
      text: text,
      refusal: { refusal: 'no' },
      input_image: { image_url: 'data:image/png;base64,AA==' },
      input_file: { filename: 'a.txt', file_data: 'YQ==' },
      input_audio: { input_audio: { data: 'AA==', format: 'wav' } },
    }),
  },
  'responses: Tools': {
    dialect: 'responses',
    examples: {
      ...tools(responsesTool, {
        function: { type: 'function', name: 'other' },
        custom: { type: 'custom', name: 'other' },
        namespace: { type: 'namespace', name: 'a', tools: [responsesTool] },
        local_shell: { type: 'local_shell' },
        tool_search: { type: 'tool_search', execution: 'client' },
      }),
      ...hostedTools([
        ...['web_search', 'web_search_2025_08_26', 'web_search_preview', 'web_search_preview_2025_03_11'],
        ...['file_search', 'code_interpreter', 'image_generation', 'mcp', 'programmatic_tool_calling'],
        ...['computer', 'computer_use_preview', 'shell', 'apply_patch'],
      ]),
    },
  },
  'responses: tool_choice': {
    dialect: 'responses',
    examples: toolChoices({
      none: 'none',
      auto: 'auto',
      required: 'required',
      function: { type: 'function', name: 'find' },
      custom: { type: 'custom', name: 'find' },
      allowed_tools: { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'function', name: 'find' }] },
      web_search_preview: { type: 'web_search_preview' },
      file_search: { type: 'file_search' },
      code_interpreter: { type: 'code_interpreter' },
      image_generation: { type: 'image_generation' },
      mcp: { type: 'mcp', server_label: 'a' },
      computer_use_preview: { type: 'computer_use_preview' },
      apply_patch: { type: 'apply_patch' },
      shell: { type: 'shell' },
    }),
  },
}

function items(values: Readonly<Record<string, object>>): Examples {
  // Some items are valid only after a call, or before another message.
  const call = { type: 'function_call', call_id: 'c1', name: 'find', arguments: '{}' }
  return mapValues(values, (item, type) => ({
    body: { input: [user, call, { type, ...item }, { role: 'assistant', content: 'b' }] },
    without: { input: [user, call, { role: 'assistant', content: 'b' }] },
  }))
}

function responsesParts(parts: Readonly<Record<string, object>>): Examples {
  return mapValues(parts, (part, type) => {
    const role = type === 'refusal' || type === 'output_text' ? 'assistant' : 'user'
    const input = (extra: readonly object[]) => ({
      input: [{ role, content: [{ type: 'text', text: 'a' }, ...extra] }, user],
    })
    return { body: input([{ type, ...part }]), without: input([]) }
  })
}

function hostedTools(types: readonly string[]): Examples {
  return tools(responsesTool, Object.fromEntries(types.map((type) => [type, { type }])))
}
