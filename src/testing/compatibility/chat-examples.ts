import {
  answerSchema,
  type CompatibilityExample,
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
import { chatTool } from './plain-bodies.ts'

const text = { text: 'b' }
const image = { image_url: { url: 'data:image/png;base64,AA==' } }

/** Examples for all rows of chat/completions in docs/reference/fields.md. */
export const chatSections: ExampleSections = {
  'chat/completions: Request fields': {
    dialect: 'chat/completions',
    examples: {
      ...fields({
        model: 'org/other',
        messages: [user, user],
        stream: true,
        cache_salt: 'a',
        stream_options: { include_usage: true },
        max_tokens: 5,
        max_completion_tokens: 5,
        n: 2,
        temperature: 0.5,
        top_p: 0.5,
        ...sampling,
        stop: 'END',
        logprobs: true,
        prompt_logprobs: 1,
        return_tokens_as_token_ids: true,
        tools: [],
        tool_choice: 'required',
        parallel_tool_calls: false,
        response_format: { type: 'json_object' },
        reasoning_effort: 'low',
        reasoning: { exclude: true },
        thinking: { type: 'disabled' },
        enable_thinking: false,
        repetition_detection: false,
        ...guidedFields,
        chat_template_kwargs: { style: 'short' },
        include_reasoning: false,
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
      functions: { body: { tools: null, functions: [{ name: 'a' }] }, without: { tools: null } },
      function_call: {
        body: { tools: null, functions: [{ name: 'a' }], function_call: 'none' },
        without: { tools: null, functions: [{ name: 'a' }] },
      },
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
      reasoning_details: messageField(
        { role: 'assistant', content: 'a' },
        { reasoning_details: [{ type: 'reasoning.text', text: 'b' }] },
      ),
      audio: messageField({ role: 'assistant', content: 'a' }, { audio: { id: 'a' } }),
    },
  },
  'chat/completions: Content parts': {
    dialect: 'chat/completions',
    examples: chatParts({
      text: text,
      refusal: { refusal: 'no' },
      image_url: image,
      input_audio: { input_audio: { data: 'AA==', format: 'wav' } },
      file: { file: { filename: 'a.txt', file_data: 'YQ==' } },
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
      json_schema: {
        body: { response_format: { type: 'json_schema', json_schema: { name: 'a', schema: answerSchema } } },
      },
    },
  },
}

/** Returns a message with the field, beside the same message without it. */
function messageField(message: object, field: object): CompatibilityExample {
  return { body: { messages: [user, { ...message, ...field }, user] }, without: { messages: [user, message, user] } }
}

function chatParts(parts: Readonly<Record<string, object>>): Examples {
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
