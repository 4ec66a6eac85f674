/** Requests of a mixed crowd. */

export interface Work {
  readonly name: string
  /** Below /v1. */
  readonly path: string
  readonly body: object
  /** Time after which the client disconnects. Undefined if it reads to the end. */
  readonly leavesAfterMs?: number | undefined
}

const chatModel = 'inferd/starter-chat'
const words = ['river', 'stone', 'green', 'seven', 'walks', 'under', 'a', 'bright', 'window', 'of', 'glass', 'today']

const weather = {
  name: 'weather',
  description: 'The weather of a city.',
  schema: {
    type: 'object',
    properties: { city: { type: 'string' }, days: { type: 'integer', minimum: 1, maximum: 9 } },
    required: ['city'],
    additionalProperties: false,
  },
}

/** Share of clients that disconnect before the end. */
const leavingShare = 0.2
const stayLimitMs = 3_000

type MakeWork = (text: (most: number) => string, random: () => number) => Omit<Work, 'leavesAfterMs'>

const kinds: readonly MakeWork[] = [
  (text, random) => chat('chat', { messages: [user(text(60))], max_tokens: 1 + Math.floor(random() * 64) }),
  (text) => chat('chat, stream', { messages: [user(text(60))], max_tokens: 64, stream: true }),
  (text) => chat('chat without a limit, stream', { messages: [user(text(30))], stream: true }),
  (text) => chat('chat, four choices', { messages: [user(text(30))], n: 4, max_tokens: 32, temperature: 1 }),
  (text) =>
    chat('chat, long prompt', {
      messages: [user(text(600)), { role: 'assistant', content: text(100) }, user(text(20))],
      max_tokens: 8,
    }),
  (text) =>
    chat('chat, forced call', {
      messages: [user(text(20))],
      tools: [{ type: 'function', function: { ...weather, parameters: weather.schema } }],
      tool_choice: 'required',
    }),
  (text) =>
    chat('chat, schema', {
      messages: [user(text(20))],
      response_format: { type: 'json_schema', json_schema: { ...weather, strict: true } },
      max_tokens: 200,
    }),
  (text) => chat('chat, thinking', { messages: [user(text(20))], reasoning_effort: 'low', max_tokens: 96 }),
  (text) => ({
    name: 'responses, stream',
    path: '/responses',
    body: { model: chatModel, input: text(40), max_output_tokens: 48, stream: true },
  }),
  (text) => ({
    name: 'messages, stream',
    path: '/messages',
    body: { model: chatModel, messages: [user(text(40))], max_tokens: 48, stream: true },
  }),
  (text) => ({
    name: 'count',
    path: '/messages/count_tokens',
    body: { model: chatModel, messages: [user(text(200))] },
  }),
  (text, random) => ({
    name: 'embeddings',
    path: '/embeddings',
    body: {
      model: 'inferd/starter-embed',
      input: Array.from({ length: 1 + Math.floor(random() * 16) }, () => text(80)),
    },
  }),
  (text) => ({
    name: 'rerank',
    path: '/rerank',
    body: { model: 'inferd/starter-rerank', query: text(8), documents: Array.from({ length: 10 }, () => text(40)) },
  }),
]

export function randomWork(random: () => number): Work {
  const pick = <Item>(items: readonly Item[]) => items[Math.floor(random() * items.length)]
  const text = (most: number) => Array.from({ length: 1 + Math.floor(random() * most) }, () => pick(words)).join(' ')
  const make = pick(kinds)
  if (make === undefined) throw new Error('there is no kind of work')
  const leavesAfterMs = random() < leavingShare ? random() * stayLimitMs : undefined
  return { ...make(text, random), leavesAfterMs }
}

function chat(name: string, fields: object): Omit<Work, 'leavesAfterMs'> {
  return { name, path: '/chat/completions', body: { model: chatModel, ...fields } }
}

function user(content: string): object {
  return { role: 'user', content }
}
