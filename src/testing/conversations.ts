/** Conversations written in each dialect, with the engine's request that all of them give. */
import type { ChatRequest } from '../core/chat.ts'
import { textContent } from '../core/content.ts'
import { chatRequest } from './chat-request.ts'

export interface Conversation {
  readonly name: string
  /** Fields beside `model`. Dialects that cannot express the conversation are left out. */
  readonly chat: object
  readonly responses?: object
  readonly messages?: object
  readonly request: ChatRequest
}

/** Script that makes the fake engine answer with its request. */
const question = '{"script":[{"echoRequest":true}]}'
const user = { role: 'user', content: question } as const
const asker = { role: 'user', content: textContent(question) } as const
/** Required fields of messages: they cannot leave the limit open. */
const limited = { max_tokens: 100 }
const noThinking = { mode: 'off' } as const

const citySchema = {
  type: 'object',
  properties: { city: { type: 'string', description: 'Where' } },
  required: ['city'],
  additionalProperties: false,
}
const weather = { name: 'weather', description: 'Looks.', parameters: citySchema }
const clock = { name: 'clock', parameters: { type: 'object', properties: {} } }
const chatTools = [weather, clock].map((tool) => ({ type: 'function', function: tool }))
const responsesTools = [weather, clock].map((tool) => ({ type: 'function', ...tool }))
const messagesTools = [weather, clock].map(({ parameters, ...tool }) => ({ ...tool, input_schema: parameters }))

/** Conversation in which the assistant thinks, speaks and calls two tools, with both results. */
const toolRound = {
  chat: [
    { role: 'system', content: 'Be brief.' },
    user,
    {
      role: 'assistant',
      content: 'Looking.',
      reasoning_content: 'Two of them.',
      tool_calls: [
        { id: 'c1', type: 'function', function: { name: 'weather', arguments: '{"city":"Oslo"}' } },
        { id: 'c2', type: 'function', function: { name: 'clock', arguments: '{}' } },
      ],
    },
    { role: 'tool', tool_call_id: 'c1', content: '12 degrees' },
    { role: 'tool', tool_call_id: 'c2', content: [{ type: 'text', text: 'noon' }] },
  ],
  responses: [
    { type: 'message', ...user },
    { type: 'reasoning', id: 'rs_1', summary: [], content: [{ type: 'reasoning_text', text: 'Two of them.' }] },
    { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Looking.', annotations: [] }] },
    { type: 'function_call', call_id: 'c1', name: 'weather', arguments: '{"city":"Oslo"}' },
    { type: 'function_call', call_id: 'c2', name: 'clock', arguments: '{}' },
    { type: 'function_call_output', call_id: 'c1', output: '12 degrees' },
    { type: 'function_call_output', call_id: 'c2', output: [{ type: 'input_text', text: 'noon' }] },
  ],
  messages: [
    user,
    {
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'Two of them.', signature: '' },
        { type: 'text', text: 'Looking.' },
        { type: 'tool_use', id: 'c1', name: 'weather', input: { city: 'Oslo' } },
        { type: 'tool_use', id: 'c2', name: 'clock', input: {} },
      ],
    },
    {
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: 'c1', content: '12 degrees' },
        { type: 'tool_result', tool_use_id: 'c2', content: [{ type: 'text', text: 'noon' }] },
      ],
    },
  ],
  request: [
    { role: 'system', content: textContent('Be brief.') },
    asker,
    {
      role: 'assistant',
      content: textContent('Looking.'),
      reasoning: 'Two of them.',
      toolCalls: [
        { id: 'c1', name: 'weather', argumentsText: '{"city":"Oslo"}' },
        { id: 'c2', name: 'clock', argumentsText: '{}' },
      ],
    },
    { role: 'tool', content: textContent('12 degrees'), toolCallId: 'c1' },
    { role: 'tool', content: textContent('noon'), toolCallId: 'c2' },
  ] as ChatRequest['messages'],
}

const offered = { tools: [weather, clock], maxTokens: 100, reasoning: noThinking }

export const conversations: readonly Conversation[] = [
  {
    name: 'a question',
    chat: { messages: [user] },
    responses: { input: question },
    request: asked({ messages: [asker] }),
  },
  {
    name: 'system, user, assistant, user',
    chat: {
      messages: [{ role: 'developer', content: 'Be brief.' }, user, { role: 'assistant', content: 'Hello.' }, user],
      max_tokens: 100,
      reasoning_effort: 'none',
    },
    responses: {
      instructions: 'Be brief.',
      input: [user, { role: 'assistant', content: [{ type: 'output_text', text: 'Hello.' }] }, user],
      max_output_tokens: 100,
      reasoning: { effort: 'none' },
    },
    messages: { system: 'Be brief.', messages: [user, { role: 'assistant', content: 'Hello.' }, user], ...limited },
    request: asked({
      messages: [
        { role: 'system', content: textContent('Be brief.') },
        asker,
        { role: 'assistant', content: textContent('Hello.') },
        asker,
      ],
      maxTokens: 100,
      reasoning: noThinking,
    }),
  },
  {
    name: 'thinking and two calls whose results are in',
    chat: { messages: toolRound.chat, tools: chatTools, max_tokens: 100, reasoning_effort: 'none' },
    responses: {
      instructions: 'Be brief.',
      input: toolRound.responses,
      tools: responsesTools,
      max_output_tokens: 100,
      reasoning: { effort: 'none' },
    },
    messages: { system: 'Be brief.', messages: toolRound.messages, tools: messagesTools, ...limited },
    request: asked({ messages: toolRound.request, ...offered }),
  },
  {
    name: 'the same, answered and followed up without thinking',
    chat: {
      messages: [...toolRound.chat.map(withoutThinking), { role: 'assistant', content: 'Done.' }, user],
      tools: chatTools,
      max_tokens: 100,
      reasoning_effort: 'none',
    },
    responses: {
      instructions: 'Be brief.',
      input: [
        ...toolRound.responses.filter(({ type }) => type !== 'reasoning'),
        { role: 'assistant', content: 'Done.' },
        user,
      ],
      tools: responsesTools,
      max_output_tokens: 100,
      reasoning: { effort: 'none' },
    },
    messages: {
      system: 'Be brief.',
      messages: [...toolRound.messages.map(withoutThinkingBlocks), { role: 'assistant', content: 'Done.' }, user],
      tools: messagesTools,
      ...limited,
    },
    request: asked({
      messages: [
        ...toolRound.request.map(({ reasoning, ...message }) => message),
        { role: 'assistant', content: textContent('Done.') },
        asker,
      ],
      ...offered,
    }),
  },
  ...toolChoices([
    ['auto', { type: 'auto' }, { mode: 'auto' }],
    ['required', { type: 'any' }, { mode: 'required' }],
    ['none', { type: 'none' }, { mode: 'none' }],
    [
      { type: 'function', name: 'clock' },
      { type: 'tool', name: 'clock' },
      { mode: 'required', allowed: ['clock'] },
    ],
  ]),
  {
    name: 'one call at most',
    chat: { messages: [user], tools: chatTools, parallel_tool_calls: false, max_tokens: 100, reasoning_effort: 'none' },
    responses: {
      input: question,
      tools: responsesTools,
      parallel_tool_calls: false,
      max_output_tokens: 100,
      reasoning: { effort: 'none' },
    },
    messages: {
      messages: [user],
      tools: messagesTools,
      tool_choice: { type: 'auto', disable_parallel_tool_use: true },
      ...limited,
    },
    request: asked({ ...offered, parallelToolCalls: false }),
  },
  {
    name: 'an answer with a schema',
    chat: {
      messages: [user],
      response_format: { type: 'json_schema', json_schema: { name: 'city', schema: citySchema, strict: true } },
      max_tokens: 100,
      reasoning_effort: 'none',
    },
    responses: {
      input: question,
      text: { format: { type: 'json_schema', name: 'city', schema: citySchema, strict: true } },
      max_output_tokens: 100,
      reasoning: { effort: 'none' },
    },
    messages: {
      messages: [user],
      output_config: { format: { type: 'json_schema', schema: citySchema } },
      ...limited,
    },
    request: asked({ answerSchema: citySchema, maxTokens: 100, reasoning: noThinking }),
  },
  {
    name: 'an answer that is a JSON object',
    chat: { messages: [user], response_format: { type: 'json_object' } },
    responses: { input: question, text: { format: { type: 'json_object' } } },
    request: asked({ answerSchema: { type: 'object' } }),
  },
  {
    name: 'thinking with an effort',
    chat: { messages: [user], reasoning_effort: 'low', max_tokens: 100 },
    responses: { input: question, reasoning: { effort: 'low' }, max_output_tokens: 100 },
    messages: { messages: [user], thinking: { type: 'adaptive' }, output_config: { effort: 'low' }, ...limited },
    request: asked({ reasoning: { mode: 'on', effort: 'low' }, maxTokens: 100 }),
  },
  {
    name: 'thinking with a budget',
    chat: { messages: [user], reasoning: { enabled: true, max_tokens: 2000 }, max_tokens: 100 },
    messages: { messages: [user], thinking: { type: 'enabled', budget_tokens: 2000 }, ...limited },
    request: asked({ reasoning: { mode: 'on', budgetTokens: 2000 }, maxTokens: 100 }),
  },
  {
    name: 'sampling and stop strings',
    chat: {
      messages: [user],
      temperature: 0.5,
      top_p: 0.9,
      top_k: 40,
      stop: ['END', 'STOP'],
      max_tokens: 100,
      reasoning_effort: 'none',
    },
    messages: {
      messages: [user],
      temperature: 0.5,
      top_p: 0.9,
      top_k: 40,
      stop_sequences: ['END', 'STOP'],
      ...limited,
    },
    request: asked({
      sampling: { temperature: 0.5, topP: 0.9, topK: 40 },
      stop: ['END', 'STOP'],
      maxTokens: 100,
      reasoning: noThinking,
    }),
  },
  {
    name: 'sampling',
    chat: { messages: [user], temperature: 1, top_p: 0.5 },
    responses: { input: question, temperature: 1, top_p: 0.5 },
    request: asked({ sampling: { temperature: 1, topP: 0.5 } }),
  },
]

/** Returns a request with the question only, unless `parts` give other messages. */
function asked(parts: Partial<ChatRequest>): ChatRequest {
  return chatRequest({ messages: [asker], ...parts })
}

function toolChoices(
  choices: readonly (readonly [plain: unknown, messages: object, choice: ChatRequest['toolChoice']])[],
): Conversation[] {
  return choices.map(([plain, messages, toolChoice]) => ({
    name: `tool choice ${JSON.stringify(plain)}`,
    chat: { messages: [user], tools: chatTools, tool_choice: plain, max_tokens: 100, reasoning_effort: 'none' },
    responses: {
      input: question,
      tools: responsesTools,
      tool_choice: plain,
      max_output_tokens: 100,
      reasoning: { effort: 'none' },
    },
    messages: { messages: [user], tools: messagesTools, tool_choice: messages, ...limited },
    // A named tool is called only once.
    request: asked({ ...offered, toolChoice, parallelToolCalls: typeof plain === 'string' }),
  }))
}

function withoutThinking(message: object): object {
  return { ...message, reasoning_content: undefined }
}

function withoutThinkingBlocks({ role, content }: { role: string; content: string | readonly { type: string }[] }) {
  return { role, content: typeof content === 'string' ? content : content.filter(({ type }) => type !== 'thinking') }
}
