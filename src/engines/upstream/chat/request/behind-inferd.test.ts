/** A request that one inferd sends to another equals the one that it received. */
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import type { ChatMessage, ChatRequest, RawPrompt } from '../../../../core/chat.ts'
import { type Content, type ImagePart, textContent } from '../../../../core/content.ts'
import { chatRequest } from '../../../../testing/chat-request.ts'
import { parseChatCompletion } from '../../../../wire/chat-completions/parse-request.ts'
import { parseCompletion } from '../../../../wire/completions/parse-request.ts'
import { chatCalls } from './chat-calls.ts'

const url = 'data:image/png;base64,AA=='
const options = { flavor: 'inferd', model: 'm', maxTokens: 7, cacheSalt: 'salt', pictureUrl: () => url } as const

/** Omits undefined values, positions in the received body, and values that a server sets for itself. */
function plain(value: unknown): unknown {
  const places = new Set(['param', 'path', 'images', 'maxTokens', 'choices', 'countsTokens', 'cacheSalt'])
  return JSON.parse(JSON.stringify(value, (name, inner: unknown) => (places.has(name) ? undefined : inner)))
}

const some = fc.string({ minLength: 1, maxLength: 8 })
const name = fc.constantFrom('f', 'g')
const toolCall = fc.record({ id: some, name, argumentsText: some })
const message: fc.Arbitrary<ChatMessage> = fc.oneof(
  fc.record({ role: fc.constantFrom('system', 'user'), content: some.map(textContent), name: fc.constant('Ann B.') }),
  fc.record({ role: fc.constant('tool'), content: some.map(textContent), toolCallId: some }),
  fc.record({
    role: fc.constant('assistant'),
    content: some.map(textContent),
    reasoning: some,
    toolCalls: fc.array(toolCall, { minLength: 1, maxLength: 2 }),
  }),
)
const sampling = fc.record(
  {
    temperature: fc.constantFrom(0, 0.5, 2),
    topP: fc.constantFrom(0.1, 1),
    topK: fc.nat(9),
    minP: fc.constantFrom(0, 0.1),
    presencePenalty: fc.constantFrom(-2, 1),
    frequencyPenalty: fc.constantFrom(-2, 1),
    repeatPenalty: fc.constantFrom(0.5, 1.5),
    logitBias: fc.constant([[3, -100]] as const),
    seed: fc.nat(),
  },
  { requiredKeys: [] },
)
const reasoning = fc.oneof(
  fc.record({ templateMode: fc.constantFrom('off', 'on') }, { requiredKeys: [] }),
  fc.constant({ mode: 'off' } as const),
  fc.record(
    {
      mode: fc.constant('on'),
      effort: fc.constantFrom('minimal', 'low', 'high'),
      budgetTokens: fc.integer({ min: 1, max: 9 }),
    },
    { requiredKeys: ['mode'] },
  ),
)
const schema = { type: 'object', properties: { a: { type: 'string' } } } as const
const form: fc.Arbitrary<Partial<ChatRequest>> = fc.constantFrom<Partial<ChatRequest>>(
  {},
  { answerSchema: { type: 'object' } },
  { answerSchema: schema, answerSchemaOrigin: { path: '', isStrict: true } },
  { answerSchema: schema, answerSchemaOrigin: { path: '', isStrict: false } },
  { answerChoices: ['a', 'b'] },
)
const limits = fc.record(
  {
    topLogprobs: fc.integer({ min: 1, max: 20 }),
    stop: fc.uniqueArray(some, { maxLength: 4 }),
    repetitionLimit: fc.constantFrom<ChatRequest['repetitionLimit']>('usual', 'none', {
      ...{ minPieceTokens: 1, maxPieceTokens: 9, minCount: 3, minTokens: 0 },
    }),
  },
  { requiredKeys: [] },
)
const tools = [
  { name: 'f', description: 'F', parameters: schema, parametersOrigin: { path: '', isStrict: true } },
  { name: 'g', parameters: schema, parametersOrigin: { path: '', isStrict: false } },
]
const toolParts: fc.Arbitrary<Partial<ChatRequest>> = fc.oneof(
  fc.constant({}),
  fc.record({
    tools: fc.constant(tools),
    toolChoice: fc.oneof(
      fc.record({ mode: fc.constantFrom('auto', 'required', 'none') }),
      fc.record({ mode: fc.constantFrom('auto', 'required'), allowed: fc.constant(['f', 'g']) }),
    ),
    parallelToolCalls: fc.boolean(),
  }),
  fc.constant({ tools, toolChoice: { mode: 'required', allowed: ['g'] }, parallelToolCalls: false } as const),
)

test('a chat', () => {
  const chats = fc.record({ messages: fc.array(message, { minLength: 1, maxLength: 4 }), sampling, reasoning }, {})
  const variables = fc.constantFrom({}, { templateVariables: { style: ['x'] } })
  fc.assert(
    fc.property(chats, form, limits, toolParts, variables, (...parts) => {
      const request = chatRequest(Object.assign({}, ...parts))
      const isForced = request.tools.length > 0 && request.toolChoice.mode === 'required'
      const [call] = chatCalls(request, options)
      const { request: there } = parseChatCompletion(call?.body)
      // A forced call has no text to constrain.
      const { answerSchema, answerSchemaOrigin, answerChoices, ...rest } = request
      expect(plain(there)).toEqual(plain(isForced ? rest : request))
      expect(there.maxTokens).toBe(7)
    }),
  )
})

test('pictures', () => {
  const picture: ImagePart = {
    ...{ type: 'image', hash: '', path: '', detail: 'high', width: 1, height: 1, orientation: 1, param: '' },
  }
  const content: Content = [{ type: 'text', text: 'Look' }, picture]
  const [call] = chatCalls(chatRequest({ messages: [{ role: 'user', content }] }), options)
  const [message] = parseChatCompletion(call?.body).request.messages
  expect(plain(message?.content)).toEqual([
    { type: 'text', text: 'Look' },
    { type: 'sent-image', url, detail: 'high' },
  ])
})

test.each<[RawPrompt]>([
  [{ kind: 'text', text: 'a', param: 'prompt' }],
  [{ kind: 'tokens', tokens: [1, 2], param: 'prompt' }],
  [{ kind: 'fill', prefix: 'a', suffix: 'b', param: 'prompt' }],
])('a prompt: %j', (prompt) => {
  const request = chatRequest({
    messages: [],
    prompts: [prompt],
    stop: ['x'],
    toolChoice: { mode: 'none' },
    sampling: { seed: 1 },
  })
  const [call] = chatCalls(request, options)
  expect(plain(parseCompletion(call?.body).request)).toEqual(plain(request))
})
