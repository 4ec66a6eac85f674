import { expect, test } from 'bun:test'
import type { ChatMessage, ChatRequest } from '../../../../core/chat.ts'
import { type ImagePart, textContent } from '../../../../core/content.ts'
import { type UpstreamFlavor, upstreamFlavors } from '../../../../core/upstream.ts'
import { chatRequest } from '../../../../testing/chat-request.ts'
import { refusalOf } from '../../../../testing/refusal.ts'
import { bodyProblem } from '../../../../testing/upstream/check-body.ts'
import type { Abilities } from '../chat-form.ts'
import { type ChatCallOptions, chatCalls } from './chat-calls.ts'

function options(flavor: UpstreamFlavor, abilities?: Partial<Abilities>): ChatCallOptions {
  const pictureUrl = ({ hash }: ImagePart) => `data:image/png;base64,${hash}`
  return { flavor, abilities, model: 'there', maxTokens: 7, cacheSalt: 'salt', pictureUrl }
}

const plain = new Map(upstreamFlavors.map((flavor) => [flavor, chatCalls(chatRequest(), options(flavor))[0]?.body]))

/** Returns the fields that a request adds to the body of an empty request. */
function added(flavor: UpstreamFlavor, request: Partial<ChatRequest>, abilities?: Partial<Abilities>): object {
  const [call] = chatCalls(chatRequest(request), options(flavor, abilities))
  const usual = JSON.stringify(plain.get(flavor)?.messages)
  const fields = Object.entries(call?.body ?? {}).filter(([name, value]) => {
    return name === 'messages' ? JSON.stringify(value) !== usual : !(name in (plain.get(flavor) ?? {}))
  })
  return Object.fromEntries(fields)
}

const messages = [{ role: 'user', content: 'Hi' }]
const continuous = { stream: true, stream_options: { include_usage: true, continuous_usage_stats: true } }
const atEnd = { stream: true, stream_options: { include_usage: true } }

test.each<[UpstreamFlavor, object]>([
  ['vllm', { model: 'there', messages, max_tokens: 7, ...continuous, cache_salt: 'salt' }],
  ['sglang', { model: 'there', messages, max_tokens: 7, ...continuous, cache_salt: 'salt' }],
  ['trtllm', { model: 'there', messages, max_tokens: 7, ...continuous, cache_salt: 'salt' }],
  ['llamacpp', { model: 'there', messages, max_tokens: 7, ...atEnd, timings_per_token: true }],
  ['openai', { model: 'there', messages, max_completion_tokens: 7, ...atEnd }],
  ['inferd', { model: 'there', messages, max_tokens: 7, ...continuous, cache_salt: 'salt' }],
])('a plain chat for %s', (flavor, body) => {
  expect(chatCalls(chatRequest(), options(flavor))).toEqual([{ path: '/chat/completions', body }] as never)
})

const schema = { type: 'object', properties: { a: { const: 1 } } }
const isStrict = { path: 'response_format.json_schema.schema', isStrict: true }
const held = { answerSchema: schema, answerSchemaOrigin: isStrict }
const one = { name: 'one', description: 'First.', parameters: schema, parametersOrigin: { path: 'x', isStrict: true } }
const two = { name: 'two', parameters: { type: 'object' } }
const oneThere = {
  type: 'function',
  function: { name: 'one', description: 'First.', parameters: schema, strict: true },
}
const twoThere = { type: 'function', function: { name: 'two', parameters: { type: 'object' } } }
const tools = [one, two]
const both = { tools: [oneThere, twoThere], parallel_tool_calls: true }
const named = { type: 'function', function: { name: 'one' } }
const switches = (value: boolean) => ({ enable_thinking: value, thinking: value })

test.each<[string, UpstreamFlavor, Partial<ChatRequest>, object]>([
  ['tools', 'vllm', { tools }, { ...both, tool_choice: 'auto' }],
  ['tools', 'trtllm', { tools }, { tools: both.tools, tool_choice: 'auto' }],
  ['a call that must be', 'sglang', { tools, toolChoice: { mode: 'required' } }, { ...both, tool_choice: 'required' }],
  ['no call', 'openai', { tools, toolChoice: { mode: 'none' } }, { ...both, tool_choice: 'none' }],
  ['no call, where one would come as text', 'vllm', { tools, toolChoice: { mode: 'none' } }, {}],
  [
    'one call',
    'openai',
    { tools, parallelToolCalls: false },
    { ...both, tool_choice: 'auto', parallel_tool_calls: false },
  ],
  [
    'a call of one',
    'vllm',
    { tools, toolChoice: { mode: 'required', allowed: ['one'] } },
    { ...both, tool_choice: named },
  ],
  [
    'a call of one',
    'llamacpp',
    { tools, toolChoice: { mode: 'required', allowed: ['one'] } },
    { ...both, tools: [oneThere], tool_choice: 'required' },
  ],
  [
    'calls of some',
    'vllm',
    { tools: [...tools, { ...two, name: 'three' }], toolChoice: { mode: 'auto', allowed: ['one', 'two'] } },
    { ...both, tool_choice: 'auto' },
  ],
  [
    'calls of some',
    'inferd',
    { tools, toolChoice: { mode: 'auto', allowed: ['one'] } },
    { ...both, tool_choice: { type: 'allowed_tools', allowed_tools: { mode: 'auto', tools: [named] } } },
  ],
  [
    'a schema',
    'vllm',
    held,
    { response_format: { type: 'json_schema', json_schema: { name: 'answer', schema, strict: true } } },
  ],
  ['any object', 'llamacpp', { answerSchema: { type: 'object' } }, { response_format: { type: 'json_object' } }],
  [
    'a schema beside no call',
    'vllm',
    { ...held, tools: [two], toolChoice: { mode: 'required' } },
    { tools: [twoThere], tool_choice: 'required', parallel_tool_calls: true },
  ],
  ['choices', 'vllm', { answerChoices: ['a', 'b'] }, { structured_outputs: { choice: ['a', 'b'] } }],
  ['choices', 'sglang', { answerChoices: ['a.b', 'c|d'] }, { regex: '(a\\.b|c\\|d)' }],
  ['choices', 'trtllm', { answerChoices: ['a'] }, { response_format: { type: 'regex', regex: '(a)' } }],
  ['choices', 'llamacpp', { answerChoices: ['a"\n', 'b\\'] }, { grammar: 'root ::= "a\\"\\n" | "b\\\\"' }],
  ['choices', 'inferd', { answerChoices: ['a'] }, { guided_choice: ['a'] }],
  ['no thinking', 'vllm', { reasoning: { mode: 'off' } }, { chat_template_kwargs: switches(false) }],
  ['no thinking', 'trtllm', { reasoning: { mode: 'off' } }, { chat_template_kwargs: switches(false) }],
  [
    'no thinking',
    'llamacpp',
    { reasoning: { mode: 'off' } },
    { chat_template_kwargs: { ...switches(false), reasoning: false }, thinking_budget_tokens: 0 },
  ],
  ['no thinking', 'openai', { reasoning: { mode: 'off' } }, {}],
  ['no thinking', 'inferd', { reasoning: { mode: 'off' } }, { reasoning: { enabled: false } }],
  [
    'an effort',
    'vllm',
    { reasoning: { mode: 'on', effort: 'minimal' } },
    { chat_template_kwargs: switches(true), reasoning_effort: 'low' },
  ],
  [
    'an effort',
    'llamacpp',
    { reasoning: { mode: 'on', effort: 'high' } },
    { chat_template_kwargs: { ...switches(true), reasoning: true, reasoning_effort: 'high' } },
  ],
  ['an effort', 'openai', { reasoning: { mode: 'on', effort: 'minimal' } }, { reasoning_effort: 'minimal' }],
  [
    'a budget',
    'llamacpp',
    { reasoning: { budgetTokens: 9 } },
    { chat_template_kwargs: { ...switches(true), reasoning: true }, thinking_budget_tokens: 9 },
  ],
  ['a budget', 'sglang', { reasoning: { budgetTokens: 9 } }, { chat_template_kwargs: switches(true) }],
  [
    'a budget',
    'inferd',
    { reasoning: { mode: 'on', budgetTokens: 9, templateMode: 'off' } },
    { reasoning: { enabled: true, max_tokens: 9 }, enable_thinking: false },
  ],
  [
    'variables',
    'vllm',
    { templateVariables: { style: 'x', thinking: 'maybe' }, reasoning: { templateMode: 'on' } },
    { chat_template_kwargs: { style: 'x', ...switches(true) } },
  ],
  ['variables', 'openai', { templateVariables: { style: 'x' } }, {}],
  ['no alternatives', 'vllm', { topLogprobs: 0 }, { logprobs: true, top_logprobs: 1 }],
  ['a stop string, which it would find in thinking', 'vllm', { stop: ['a'] }, {}],
  ['a stop string', 'inferd', { stop: ['a'] }, { stop: ['a'] }],
  ['many stop strings', 'openai', { stop: ['a', 'b', 'c', 'd', 'e'] }, { stop: ['a', 'b', 'c', 'd'] }],
  ['greed', 'vllm', { sampling: { topP: 0, temperature: 1 } }, { temperature: 0 }],
  ['all of the vocabulary', 'sglang', { sampling: { topK: 0 } }, { top_k: -1 }],
  ['a penalty', 'sglang', { sampling: { repeatPenalty: 9 } }, { repetition_penalty: 2 }],
  ['a penalty', 'llamacpp', { sampling: { repeatPenalty: 9 } }, { repeat_penalty: 9 }],
  [
    'sampling',
    'vllm',
    {
      sampling: {
        temperature: 1,
        topP: 0.5,
        topK: 3,
        minP: 0.1,
        presencePenalty: 1,
        frequencyPenalty: -1,
        seed: 5,
        logitBias: [[3, -2]],
      },
    },
    {
      ...{ temperature: 1, top_p: 0.5, top_k: 3, min_p: 0.1, presence_penalty: 1, frequency_penalty: -1, seed: 5 },
      logit_bias: { '3': -2 },
    },
  ],
  ['what it does not know', 'openai', { sampling: { topK: 3, minP: 0.1, repeatPenalty: 2, seed: 1 } }, { seed: 1 }],
  [
    'repetition',
    'vllm',
    { repetitionLimit: { minPieceTokens: 1, maxPieceTokens: 9, minCount: 3, minTokens: 0 } },
    { repetition_detection: { min_pattern_size: 1, max_pattern_size: 9, min_count: 3 } },
  ],
  ['repetition as usual', 'vllm', { repetitionLimit: 'usual' }, {}],
  ['repetition as usual', 'inferd', { repetitionLimit: 'usual' }, { repetition_detection: true }],
])('%s for %s', (_, flavor, request, expected) => {
  expect(added(flavor, request)).toEqual(expected)
})

const picture: ImagePart = {
  type: 'image',
  hash: 'abc',
  path: '',
  detail: 'low',
  width: 1,
  height: 1,
  orientation: 1,
  param: 'messages[0].content[0]',
}
const call = { id: '', name: 'one', argumentsText: '{"a":' }

function sent(flavor: UpstreamFlavor, given: readonly ChatMessage[]) {
  return chatCalls(chatRequest({ messages: given }), options(flavor))[0]?.body.messages as unknown
}

test('messages are put in order, calls get ids and arguments that can be read, pictures of tools come from the user', () => {
  const given: ChatMessage[] = [
    { role: 'system', content: textContent('a') },
    { role: 'system', content: textContent('b') },
    { role: 'user', content: [{ type: 'text', text: 'Look: ' }, picture], name: 'Ann' },
    { role: 'assistant', content: [], toolCalls: [call], reasoning: 'Hm' },
    { role: 'tool', content: [{ ...picture, detail: 'auto' }] },
    { role: 'tool', content: textContent('of no call'), toolCallId: 'x' },
  ]
  const url = 'data:image/png;base64,abc'
  expect(sent('vllm', given)).toEqual([
    { role: 'system', content: 'a\n\nb' },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'Look: ' },
        { type: 'image_url', image_url: { url, detail: 'low' } },
      ],
      name: 'Ann',
    },
    {
      role: 'assistant',
      content: null,
      reasoning_content: 'Hm',
      tool_calls: [
        { id: 'call_0', type: 'function', function: { name: 'one', arguments: '{"arguments":"{\\"a\\":"}' } },
      ],
    },
    { role: 'tool', content: '[image]', tool_call_id: 'call_0' },
    {
      role: 'user',
      content: [
        { type: 'text', text: "The tool's images:\n" },
        { type: 'image_url', image_url: { url } },
        { type: 'text', text: '\n\nResult of a tool call:\nof no call' },
      ],
    },
  ])
  expect(JSON.stringify(sent('trtllm', given))).not.toContain('Hm')
})

test('another inferd gets messages as they are', () => {
  const given: ChatMessage[] = [
    { role: 'user', content: textContent('a'), name: 'Ann B.' },
    { role: 'system', content: textContent('b') },
    { role: 'tool', content: [picture], toolCallId: 'x' },
    { role: 'assistant', content: textContent('c'), toolCalls: [{ ...call, id: 'y' }] },
  ]
  const url = 'data:image/png;base64,abc'
  expect(sent('inferd', given)).toEqual([
    { role: 'user', content: 'a', name: 'Ann B.' },
    { role: 'system', content: 'b' },
    { role: 'tool', content: [{ type: 'image_url', image_url: { url, detail: 'low' } }], tool_call_id: 'x' },
    {
      role: 'assistant',
      content: 'c',
      tool_calls: [{ id: 'y', type: 'function', function: { name: 'one', arguments: '{"a":' } }],
    },
  ])
})

test('an answer goes on with the last message where the server can be told so', () => {
  const given: ChatMessage[] = [
    { role: 'user', content: textContent('a') },
    { role: 'assistant', content: textContent('b') },
  ]
  expect(added('vllm', { messages: given })).toMatchObject({
    continue_final_message: true,
    add_generation_prompt: false,
  })
  expect(added('openai', { messages: given })).not.toHaveProperty('continue_final_message')
})

test.each<[string, UpstreamFlavor, Partial<ChatRequest>, Partial<Abilities>?]>([
  ['response_format.json_schema.schema', 'vllm', { ...held, tools }],
  ['response_format', 'llamacpp', { answerSchema: { type: 'object' }, tools }],
  ['guided_choice', 'openai', { answerChoices: ['a'] }],
  ['logprobs', 'llamacpp', { topLogprobs: 1, tools }],
  ['logprobs', 'vllm', { topLogprobs: 1 }, { logprobs: false }],
  ['tools', 'vllm', { tools }, { tools: false }],
  ['suffix', 'vllm', { messages: [], prompts: [{ kind: 'fill', prefix: 'a', suffix: 'b', param: 'prompt' }] }],
  [
    'echo',
    'llamacpp',
    { messages: [], echoesPrompt: true, prompts: [{ kind: 'tokens', tokens: [1], param: 'prompt' }] },
  ],
  [
    'response_format.json_schema.schema',
    'openai',
    { ...held, messages: [], prompts: [{ kind: 'text', text: 'a', param: 'prompt' }] },
  ],
  ['prompt', 'openai', { messages: [], prompts: [{ kind: 'text', text: 'a', param: 'prompt' }] }, { prompts: false }],
])("what a server cannot is refused: '%s' of %s", (param, ...[flavor, request, abilities]) => {
  const refused = refusalOf(() => chatCalls(chatRequest(request), options(flavor, abilities)))
  expect(refused).toEqual({ kind: 'invalid_request', code: 'unsupported_parameter', param })
})

test('a picture is refused where none is taken', () => {
  const given: ChatMessage[] = [{ role: 'user', content: [picture] }]
  const refused = refusalOf(() => chatCalls(chatRequest({ messages: given }), options('vllm', { pictures: false })))
  expect(refused).toEqual({ kind: 'invalid_request', code: 'unsupported_content', param: picture.param })
})

test('each choice is a call of its own, with a seed of its own', () => {
  const prompts = [
    { kind: 'text', text: 'One', param: 'prompt[0]' },
    { kind: 'tokens', tokens: [1, 2], param: 'prompt[1]' },
  ] as const
  const calls = chatCalls(
    chatRequest({ prompts, choices: 4, sampling: { seed: 2 ** 32 - 1 }, topLogprobs: 0 }),
    options('vllm'),
  )
  expect(calls.map(({ path, body }) => [path, body.prompt, body.seed, body.logprobs])).toEqual([
    ['/completions', 'One', 2 ** 32 - 1, 1],
    ['/completions', 'One', 0, 1],
    ['/completions', [1, 2], 2 ** 32 - 1, 1],
    ['/completions', [1, 2], 0, 1],
  ])
})

test('gaps are filled beside the base address where the server has that', () => {
  const prompts = [{ kind: 'fill', prefix: 'a', suffix: 'b', param: 'prompt' }] as const
  const request = chatRequest({ prompts })
  expect(chatCalls(request, options('llamacpp'))[0]).toMatchObject({
    ...{ path: '/infill', isAtRoot: true },
    body: { input_prefix: 'a', input_suffix: 'b', max_tokens: 7 },
  })
  expect(chatCalls(request, options('inferd'))[0]).toMatchObject({
    path: '/completions',
    body: { prompt: 'a', suffix: 'b' },
  })
})

const full: Partial<ChatRequest> = {
  sampling: {
    temperature: 1,
    topP: 0,
    topK: 0,
    minP: 0,
    presencePenalty: 1,
    frequencyPenalty: 1,
    repeatPenalty: 100,
    logitBias: [[1, -100]],
    seed: 1,
  },
  stop: ['a'],
  repetitionLimit: { minPieceTokens: 1, maxPieceTokens: 9, minCount: 3, minTokens: 0 },
  reasoning: { mode: 'on', effort: 'minimal', budgetTokens: 5 },
}

test.each(upstreamFlavors.map((flavor) => [flavor] as const))('no body is one that %s refuses', (flavor) => {
  const requests: Partial<ChatRequest>[] = [
    { ...full, tools, toolChoice: { mode: 'required', allowed: ['one'] }, ...held },
    { ...full, topLogprobs: 20, ...held, reasoning: { mode: 'off' } },
    { ...full, tools, toolChoice: { mode: 'none' }, ...held },
    { ...full, messages: [], prompts: [{ kind: 'text', text: 'a', param: 'prompt' }], topLogprobs: 0 },
    { ...full, messages: [], prompts: [{ kind: 'tokens', tokens: [1], param: 'prompt' }] },
  ]
  for (const request of requests) {
    for (const { path, body } of chatCalls(chatRequest(request), options(flavor, { thinkingBudget: true }))) {
      expect(bodyProblem(flavor, path, body)).toBeUndefined()
    }
  }
})
