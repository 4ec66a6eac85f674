/** For each row of docs/compatibility.md, in its sections' order: a body that has what the row is about. */

export interface CompatibilityExample {
  /** Put over the section's plain body. */
  readonly body: object
  /** The same without what the row is about; absent: the plain body as it is. */
  readonly without?: object
}

export interface ExampleSection {
  readonly dialect: 'chat/completions' | 'responses' | 'messages' | 'messages/count_tokens'
  readonly examples: Readonly<Record<string, CompatibilityExample>>
}

const user = { role: 'user', content: 'Hi' }
const schema = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] }
const parameters = { type: 'object', properties: {} }

const chatTool = { type: 'function', function: { name: 'find', parameters } }
const responsesTool = { type: 'function', name: 'find', parameters }
const messagesTool = { name: 'find', input_schema: parameters }

/** Valid, and with something for every field to act on. */
export const plainBodies: Readonly<Record<ExampleSection['dialect'], object>> = {
  'chat/completions': { model: 'org/model', messages: [user], tools: [chatTool] },
  responses: { model: 'org/model', input: [user], tools: [responsesTool] },
  messages: {
    model: 'org/model',
    messages: [user],
    tools: [messagesTool],
    max_tokens: 100,
    thinking: { type: 'adaptive' },
  },
  'messages/count_tokens': {
    model: 'org/model',
    messages: [user],
    tools: [messagesTool],
    thinking: { type: 'adaptive' },
  },
}

/** Bodies that have these fields, each alone. */
function fields(values: Readonly<Record<string, unknown>>): Record<string, CompatibilityExample> {
  return mapValues(values, (value, name) => ({ body: { [name]: value } }))
}

function mapValues<From, To>(
  record: Readonly<Record<string, From>>,
  change: (value: From, name: string) => To,
): Record<string, To> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value, name)]))
}

/** A message with the field, and the same without. */
function messageField(message: object, field: object): CompatibilityExample {
  return { body: { messages: [user, { ...message, ...field }, user] }, without: { messages: [user, message, user] } }
}

function chatParts(parts: Readonly<Record<string, object>>): Record<string, CompatibilityExample> {
  return mapValues(parts, (part, type) => {
    const message = (extra: readonly object[]) => ({
      messages: [
        user,
        {
          role: type === 'refusal' ? 'assistant' : 'user',
          content: [{ type: 'text', text: 'a' }, ...extra],
        },
        user,
      ],
    })
    return { body: message([{ type, ...part }]), without: message([]) }
  })
}

function items(values: Readonly<Record<string, object>>): Record<string, CompatibilityExample> {
  // Before the item the call of each output, behind it something that was said: without these some would mean nothing.
  const call = { type: 'function_call', call_id: 'c1', name: 'find', arguments: '{}' }
  return mapValues(values, (item, type) => ({
    body: { input: [user, call, { type, ...item }, { role: 'assistant', content: 'b' }] },
    without: { input: [user, call, { role: 'assistant', content: 'b' }] },
  }))
}

function responsesParts(parts: Readonly<Record<string, object>>): Record<string, CompatibilityExample> {
  return mapValues(parts, (part, type) => {
    const role = type === 'refusal' || type === 'output_text' ? 'assistant' : 'user'
    const input = (extra: readonly object[]) => ({
      input: [{ role, content: [{ type: 'text', text: 'a' }, ...extra] }, user],
    })
    return { body: input([{ type, ...part }]), without: input([]) }
  })
}

function tools(plain: object, values: Readonly<Record<string, object>>): Record<string, CompatibilityExample> {
  return mapValues(values, (tool) => ({ body: { tools: [plain, tool] } }))
}

function toolChoices(values: Readonly<Record<string, unknown>>): Record<string, CompatibilityExample> {
  // "auto" is what no choice is: it shows beside "none".
  return mapValues(values, (choice, name) => ({
    body: { tool_choice: choice },
    ...(name === 'auto' ? { without: { tool_choice: typeof choice === 'string' ? 'none' : { type: 'none' } } } : {}),
  }))
}

function blocks(
  values: Readonly<Record<string, readonly [role: 'user' | 'assistant', block: object]>>,
): Record<string, CompatibilityExample> {
  const before = [user, { role: 'assistant', content: [{ type: 'tool_use', id: 't0', name: 'find', input: {} }] }]
  return mapValues(values, ([role, block], type) => {
    const messages = (extra: readonly object[]) => ({
      messages: [...before, { role, content: [...extra, { type: 'text', text: 'a' }] }, user],
    })
    return { body: messages([{ type, ...block }]), without: messages([]) }
  })
}

const strings = { text: 'b' }
const image = { image_url: { url: 'data:image/png;base64,AA==' } }

const sampling = {
  top_k: 5,
  min_p: 0.1,
  repeat_penalty: 1.1,
  repetition_penalty: 1.1,
  presence_penalty: 1,
  frequency_penalty: 1,
  logit_bias: { '5': 1 },
  seed: 1,
}

const countedFields = {
  ...fields({
    model: 'org/other',
    messages: [user, user],
    system: 'Be brief.',
    tools: [{ ...messagesTool, name: 'other' }],
    tool_choice: { type: 'any' },
    thinking: { type: 'disabled' },
    output_config: { effort: 'low' },
    output_format: { type: 'json_schema', schema },
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

export const exampleSections: Readonly<Record<string, ExampleSection>> = {
  'chat/completions: Request fields': {
    dialect: 'chat/completions',
    examples: {
      ...fields({
        model: 'org/other',
        messages: [user, user],
        stream: true,
        stream_options: { include_usage: true },
        max_tokens: 5,
        max_completion_tokens: 5,
        n: 2,
        temperature: 0.5,
        top_p: 0.5,
        ...sampling,
        stop: 'END',
        logprobs: true,
        tools: [],
        tool_choice: 'required',
        parallel_tool_calls: false,
        response_format: { type: 'json_object' },
        reasoning_effort: 'low',
        reasoning: { exclude: true },
        thinking: { type: 'disabled' },
        enable_thinking: false,
        chat_template_kwargs: { style: 'short' },
        functions: [{ name: 'a' }],
        function_call: { name: 'a' },
        modalities: ['text', 'audio'],
        audio: { voice: 'a', format: 'mp3' },
        web_search_options: {},
        metadata: { a: 'b' },
        user: 'a',
        safety_identifier: 'a',
        store: true,
        prompt_cache_key: 'a',
        prompt_cache_options: {},
        prompt_cache_retention: '24h',
        service_tier: 'flex',
        verbosity: 'low',
        prediction: { type: 'content', content: 'a' },
        moderation: { model: 'a' },
      }),
      top_logprobs: { body: { logprobs: true, top_logprobs: 3 }, without: { logprobs: true } },
    },
  },
  'chat/completions: Messages': {
    dialect: 'chat/completions',
    examples: {
      role: messageField({ role: 'user', content: 'a' }, { role: 'developer' }),
      content: messageField({ role: 'user', content: 'a' }, { content: [{ type: 'text', text: 'b' }] }),
      name: messageField({ role: 'user', content: 'a' }, { name: 'ann' }),
      tool_calls: messageField(
        { role: 'assistant', content: 'a' },
        { tool_calls: [{ id: 'c1', type: 'function', function: { name: 'find', arguments: '{"a' } }] },
      ),
      tool_call_id: messageField({ role: 'tool', content: 'a' }, { tool_call_id: 'c1' }),
      function_call: messageField(
        { role: 'assistant', content: 'a' },
        { function_call: { name: 'find', arguments: '{}' } },
      ),
      refusal: messageField({ role: 'assistant', reasoning: 'a' }, { refusal: 'no' }),
      reasoning_content: messageField({ role: 'assistant', content: 'a' }, { reasoning_content: 'b' }),
      reasoning: messageField({ role: 'assistant', content: 'a' }, { reasoning: 'b' }),
      audio: messageField({ role: 'assistant', content: 'a' }, { audio: { id: 'a' } }),
    },
  },
  'chat/completions: Content parts': {
    dialect: 'chat/completions',
    examples: chatParts({
      text: strings,
      refusal: { refusal: 'no' },
      image_url: image,
      input_audio: { input_audio: { data: 'AA==', format: 'wav' } },
      file: { file: { file_id: 'a' } },
    }),
  },
  'chat/completions: Tools': {
    dialect: 'chat/completions',
    examples: tools(chatTool, {
      function: { type: 'function', function: { name: 'other' } },
      custom: { type: 'custom', custom: { name: 'other' } },
    }),
  },
  'chat/completions: tool_choice': {
    dialect: 'chat/completions',
    examples: toolChoices({
      none: 'none',
      auto: 'auto',
      required: 'required',
      function: { type: 'function', function: { name: 'find' } },
      custom: { type: 'custom', custom: { name: 'find' } },
      allowed_tools: { type: 'allowed_tools', allowed_tools: { mode: 'auto', tools: [chatTool] } },
    }),
  },
  'chat/completions: response_format': {
    dialect: 'chat/completions',
    examples: {
      text: {
        body: { response_format: { type: 'text' } },
        without: { response_format: { type: 'json_object' } },
      },
      json_object: { body: { response_format: { type: 'json_object' } } },
      json_schema: { body: { response_format: { type: 'json_schema', json_schema: { name: 'a', schema } } } },
    },
  },
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
        chat_template_kwargs: { style: 'short' },
        previous_response_id: 'resp_1',
        conversation: 'conv_1',
        prompt: { id: 'pmpt_1' },
        background: true,
        store: true,
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
      input_text: strings,
      output_text: strings,
      text: strings,
      refusal: { refusal: 'no' },
      input_image: { image_url: 'data:image/png;base64,AA==' },
      input_file: { file_id: 'a' },
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
  'messages: Request fields': {
    dialect: 'messages',
    examples: {
      ...countedFields,
      ...fields({
        ...answerFields,
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
      text: ['user', strings],
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
      tool_addition: ['user', { tools: [] }],
      tool_removal: ['user', { names: [] }],
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

function hostedTools(types: readonly string[]): Record<string, CompatibilityExample> {
  return tools(responsesTool, Object.fromEntries(types.map((type) => [type, { type }])))
}

function vendorTools(types: Readonly<Record<string, string>>): Record<string, CompatibilityExample> {
  return tools(
    messagesTool,
    mapValues(types, (type) => ({ type, name: 'other' })),
  )
}
