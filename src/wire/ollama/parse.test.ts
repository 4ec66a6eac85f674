import { describe, expect, test } from 'bun:test'
import { ApiError } from '../../core/errors.ts'
import { parseOllamaEmbed, parseOllamaEmbeddings } from './embed.ts'
import { parseKeepAlive } from './keep-alive.ts'
import { parseOllamaChat } from './parse-chat.ts'
import { parseOllamaGenerate } from './parse-generate.ts'

const model = 'm'
const text = (words: string) => [{ type: 'text', text: words }] as const
const chat = (fields: object = {}) => parseOllamaChat({ model, messages: [{ role: 'user', content: 'Hi' }], ...fields })
const generate = (fields: object = {}) => parseOllamaGenerate({ model, prompt: 'Hi', ...fields })

function refusal(parse: () => unknown): {
  readonly code: string
  readonly param: string | undefined
  readonly message: string
} {
  try {
    parse()
  } catch (error) {
    if (error instanceof ApiError) return error
    throw error
  }
  throw new Error('it was accepted')
}

/** Requests of Ollama's documentation, in other words. */
describe('documented requests', () => {
  const answer = {
    choices: 1,
    tools: [],
    toolChoice: { mode: 'auto' },
    parallelToolCalls: true,
    reasoning: {},
  } as const
  const plain = { ...answer, sampling: {}, stop: [] }
  const user = { role: 'user', content: text('Hi') } as const

  test.each([
    [
      'a chat streams unless it says otherwise',
      {},
      { stream: true, isEmpty: false, request: { ...plain, messages: [user] } },
    ],
    ['a whole answer', { stream: false }, { stream: false }],
    ['JSON', { format: 'json' }, { request: { answerSchema: { type: 'object' } } }],
    ['no format', { format: '' }, { request: plain }],
    ['a schema', { format: { type: 'array' } }, { request: { answerSchema: { type: 'array' } } }],
    ['thinking', { think: true }, { request: { reasoning: { mode: 'on' } } }],
    ['no thinking', { think: false }, { request: { reasoning: { mode: 'off' } } }],
    ['a level of thinking', { think: 'high' }, { request: { reasoning: { mode: 'on', effort: 'high' } } }],
    ['a seed', { options: { seed: 101, temperature: 0 } }, { request: { sampling: { seed: 101, temperature: 0 } } }],
    ['log probabilities', { logprobs: true, top_logprobs: 3 }, { request: { topLogprobs: 3 } }],
    ['loading', { messages: [] }, { isEmpty: true }],
    ['loading without messages', { messages: null }, { isEmpty: true }],
    ['unloading', { messages: [], keep_alive: 0 }, { isEmpty: true, keepAliveMs: 0 }],
  ])('%s', (_, fields, expected) => expect(chat(fields)).toMatchObject(expected as object))

  test.each([
    ['a prompt', {}, { stream: true, isEmpty: false, request: { ...plain, messages: [user] } }],
    [
      'a system prompt',
      { system: 'Be brief.' },
      { request: { messages: [{ role: 'system', content: text('Be brief.') }, user] } },
    ],
    [
      'an empty template, context and suffix',
      { template: '', context: [], suffix: '', raw: false },
      { request: { messages: [user] } },
    ],
    ['raw', { raw: true }, { request: { messages: [], prompts: [{ kind: 'text', text: 'Hi', param: 'prompt' }] } }],
    [
      'a gap',
      { suffix: 'c' },
      { request: { prompts: [{ kind: 'fill', prefix: 'Hi', suffix: 'c', param: 'prompt' }] } },
    ],
    ['loading', { prompt: '' }, { isEmpty: true }],
    ['unloading', { prompt: '', keep_alive: 0 }, { isEmpty: true, keepAliveMs: 0 }],
  ])('generate: %s', (_, fields, expected) => expect(generate(fields)).toMatchObject(expected as object))

  test('a picture comes before the words, as base64 or as a whole URL', () => {
    const image = (url: string, param: string) => ({ type: 'sent-image', url, detail: 'auto', param })
    const [first, second] = chat({
      messages: [
        { role: 'user', content: 'What?', images: ['QUJD', 'data:image/png;base64,QUJD'] },
        { role: 'user', content: '', images: ['QUJD'] },
      ],
    }).request.messages
    expect(first?.content).toEqual([
      image('data:;base64,QUJD', 'messages[0].images[0]'),
      image('data:image/png;base64,QUJD', 'messages[0].images[1]'),
      ...text('What?'),
    ] as never)
    expect(second?.content).toEqual([image('data:;base64,QUJD', 'messages[1].images[0]')] as never)
    expect(generate({ images: ['QUJD'] }).request.messages).toMatchObject([{ content: [{ param: 'images[0]' }, {}] }])
  })
})

describe('results of tools belong to their calls', () => {
  const call = (name: string, id?: string) => ({ id, function: { name, arguments: { a: 1 } } })
  const results = (calls: object[], ...answers: object[]) => {
    const { messages } = chat({
      messages: [
        { role: 'assistant', content: '', tool_calls: calls },
        ...answers.map((one) => ({ role: 'tool', content: 'x', ...one })),
      ],
    }).request
    const [turn, ...tools] = messages
    return tools.map(({ toolCallId }) => turn?.toolCalls?.findIndex(({ id }) => id === toolCallId))
  }
  const two = [call('weather'), call('time')]

  test.each([
    ['by nothing, in their order', results(two, {}, {}), [0, 1]],
    ['by their names', results(two, { tool_name: 'time' }, { tool_name: 'weather' }), [1, 0]],
    [
      'by one name, in their order',
      results([call('time'), call('time')], { tool_name: 'time' }, { tool_name: 'time' }),
      [0, 1],
    ],
    [
      'by their ids',
      results([call('time', 'b'), call('time', 'a')], { tool_call_id: 'a' }, { tool_call_id: 'b' }),
      [1, 0],
    ],
    ['by no known id', results([call('time', 'b')], { tool_call_id: 'z' }), [-1]],
  ])('%s', (_, found, expected) => expect(found).toEqual(expected))

  test('arguments are taken as an object and as text', () => {
    const given = [{ function: { name: 'a', arguments: { b: 1 } } }, { function: { name: 'a', arguments: '{"b":1}' } }]
    const [turn] = chat({ messages: [{ role: 'Assistant', content: null, tool_calls: given }] }).request.messages
    expect(turn?.toolCalls?.map(({ argumentsText }) => argumentsText)).toEqual(['{"b":1}', '{"b":1}'])
  })
})

test.each([
  [{ num_predict: 5 }, { maxTokens: 5 }],
  [{ num_predict: -1 }, { maxTokens: undefined }],
  [{ num_predict: -2 }, { maxTokens: undefined }],
  [{ num_predict: 0 }, { maxTokens: undefined }],
  [
    { num_predict: 5.9, top_k: 3.2 },
    { maxTokens: 5, sampling: { topK: 3 } },
  ],
  [{ seed: -1 }, { sampling: { seed: undefined } }],
  [{ top_k: -1, top_p: 0.5, min_p: 0.1 }, { sampling: { topK: 0, topP: 0.5, minP: 0.1 } }],
  [{ stop: 'END' }, { stop: ['END'] }],
  [{ stop: ['A', '', 'B', 'C', 'D', 'E'] }, { stop: ['A', 'B', 'C', 'D', 'E'] }],
  [
    { repeat_penalty: 1.1, presence_penalty: 0.5, frequency_penalty: 1 },
    { sampling: { repeatPenalty: 1.1, presencePenalty: 0.5, frequencyPenalty: 1 } },
  ],
  [
    { num_ctx: 'many', mirostat: 2, num_gpu: {}, made_up: 1, temperature: null },
    { sampling: {}, stop: [] },
  ],
])('options %j', (options, expected) => expect(chat({ options }).request).toMatchObject(expected as object))

test.each([
  [0, 0],
  ['0', 0],
  ['0s', 0],
  [-1, Number.POSITIVE_INFINITY],
  ['-1', Number.POSITIVE_INFINITY],
  ['-5m', Number.POSITIVE_INFINITY],
  [300, 300_000],
  ['300', 300_000],
  ['5m', 300_000],
  ['1.5h', 5_400_000],
  ['2h45m', 9_900_000],
  ['300ms', 300],
  [null, undefined],
  [undefined, undefined],
])('keep_alive %j is %p ms', (value, ms) => expect(parseKeepAlive(value)).toBe(ms))

test.each(['abc', '5 minutes', '5x', {}, true, `${'1h'.repeat(100)}`])('keep_alive %j is refused', (value) =>
  expect(refusal(() => parseKeepAlive(value))).toMatchObject({ code: 'invalid_value', param: 'keep_alive' }),
)

test.each([
  [
    () => chat({ options: { num_predict: '5' } }),
    'options.num_predict',
    'option "num_predict" must be of type integer',
  ],
  [() => chat({ options: { stop: [1] } }), 'options.stop', 'option "stop" must be of type array of strings'],
  [() => chat({ options: { temperature: 3 } }), 'options.temperature', 'from 0 to 2'],
  [() => chat({ options: [] }), 'options', 'an object'],
  [() => chat({ format: 'xml' }), 'format', '"json" or a JSON schema'],
  [() => chat({ think: 'much' }), 'think', 'one of'],
  [() => chat({ think: 1 }), 'think', 'true, false'],
  [() => chat({ top_logprobs: 21 }), 'top_logprobs', 'from 0 to 20'],
  [() => chat({ messages: [{ role: 'robot', content: '' }] }), 'messages[0].role', 'one of'],
  [() => chat({ messages: [{ role: 'user', images: ['http://x/a.png'] }] }), 'messages[0].images[0]', 'base64'],
  [() => generate({ raw: true, system: 'x' }), 'raw', 'raw mode does not support template, system, or context'],
  [() => generate({ template: '{{ .Prompt }}' }), 'template', 'not supported'],
  [() => generate({ context: [1, 2] }), 'context', 'left out'],
  [() => generate({ suffix: 'b', images: ['QUJD'] }), 'images', 'left out'],
  [() => parseOllamaEmbed({ model, input: [1] }), 'input', 'a text'],
  [() => parseOllamaChat({ messages: [] }), 'model', 'required'],
])('%p is refused', (parse, param, words) => {
  const { message, ...rest } = refusal(parse)
  expect(rest.param).toBe(param)
  expect(message).toContain(words)
})

test('a tool may have no parameters, or a schema that says nothing', () => {
  const tools = [{}, { parameters: {} }, { parameters: { $schema: 'http://json-schema.org/draft-07/schema#' } }]
  const named = tools.map((fields, index) => ({ type: 'function', function: { name: `t${index}`, ...fields } }))
  const parameters = { type: 'object', properties: {} }
  expect(chat({ tools: named }).request.tools).toEqual([0, 1, 2].map((index) => ({ name: `t${index}`, parameters })))
})

test.each([
  [parseOllamaEmbed({ model, input: 'a' }), { inputs: ['a'], truncate: 'end' }, false],
  [
    parseOllamaEmbed({ model, input: ['a', 'b'], truncate: false, dimensions: 8 }),
    { inputs: ['a', 'b'], dimensions: 8 },
    false,
  ],
  [parseOllamaEmbed({ model, input: '' }), { inputs: [], truncate: 'end' }, true],
  [parseOllamaEmbed({ model }), { inputs: [], truncate: 'end' }, true],
  [parseOllamaEmbeddings({ model, prompt: 'a' }), { inputs: ['a'], truncate: 'end' }, false],
  [parseOllamaEmbeddings({ model, prompt: '' }), { inputs: [], truncate: 'end' }, true],
])('embed %#', (call, request, isEmpty) =>
  expect({ request: call.request, isEmpty: call.isEmpty }).toEqual({ request, isEmpty } as never),
)
