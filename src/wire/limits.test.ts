/** The limits in the table apply at every endpoint that it names. */
import { expect, test } from 'bun:test'
import { ApiError } from '../core/errors.ts'
import type { ModelManifest } from '../core/model.ts'
import { plainBodies } from '../testing/compatibility/plain-bodies.ts'
import type { WorkCall, WorkDialect } from './dialect.ts'
import { dialects } from './dialects.ts'
import { type Limit, limits } from './limits.ts'

type Fields = (count: number) => object

const user = { role: 'user', content: 'a' }
const times = (count: number, make: (index: number) => unknown) =>
  Array.from({ length: count }, (_, index) => make(index))
const texts = (count: number) => times(count, (index) => `text ${index}`)
/** Returns tools that have `count` characters as JSON. */
const wideTool = (tool: (text: string) => object, count: number) => {
  const rest = JSON.stringify([tool('')]).length
  return { tools: [tool('x'.repeat(count - rest))] }
}
const functionTool = (name: string, description = '') => ({ type: 'function', function: { name, description } })

/** Body fields by limit and endpoint. Each function makes `count` of the counted things. */
const bodies: Readonly<Record<keyof typeof limits, Readonly<Record<string, Fields>> | Fields>> = {
  messages: (count) => ({ messages: times(count, () => user) }),
  parts: {
    'chat/completions': (count) => ({
      messages: [{ ...user, content: times(count, () => ({ type: 'text', text: 'a' })) }],
    }),
    // Messages count as well.
    messages: (count) => ({ messages: [{ ...user, content: times(count - 1, () => ({ type: 'text', text: 'a' })) }] }),
    responses: (count) => ({ input: times(count, () => user) }),
    'api/chat': (count) => ({ messages: times(count, () => user) }),
  },
  tools: {
    'chat/completions': (count) => ({ tools: times(count, (index) => functionTool(`tool_${index}`)) }),
    'api/chat': (count) => ({ tools: times(count, (index) => functionTool(`tool_${index}`)) }),
    responses: (count) => ({
      tools: times(count, (index) => ({ type: 'function', name: `tool_${index}`, parameters: {} })),
    }),
    messages: (count) => ({
      tools: times(count, (index) => ({ name: `tool_${index}`, input_schema: { type: 'object' } })),
    }),
  },
  toolCharacters: {
    'chat/completions': (count) => wideTool((text) => functionTool('a', text), count),
    'api/chat': (count) => wideTool((text) => functionTool('a', text), count),
    // Tools of several sources are measured together, each source as an array.
    responses: (count) =>
      wideTool((description) => ({ type: 'function', name: 'a', description, parameters: {} }), count - 2),
    messages: (count) =>
      wideTool((description) => ({ name: 'a', description, input_schema: { type: 'object' } }), count),
  },
  stopStrings: {
    'chat/completions': (count) => ({ stop: [...texts(count), '', 'text 0'] }),
    completions: (count) => ({ stop: [...texts(count), '', 'text 0'] }),
    'fim/completions': (count) => ({ stop: [...texts(count), '', 'text 0'] }),
    messages: (count) => ({ stop_sequences: [...texts(count), '', 'text 0'] }),
    'api/chat': (count) => ({ options: { stop: [...texts(count), '', 'text 0'] } }),
    'api/generate': (count) => ({ options: { stop: [...texts(count), '', 'text 0'] } }),
  },
  choices: (count) => ({ n: count }),
  answers: (count) => ({ prompt: texts(count) }),
  alternatives: {
    completions: (count) => ({ logprobs: count }),
    'chat/completions': (count) => ({ logprobs: true, top_logprobs: count }),
    responses: (count) => ({ include: ['message.output_text.logprobs'], top_logprobs: count }),
    'api/chat': (count) => ({ logprobs: true, top_logprobs: count }),
    'api/generate': (count) => ({ logprobs: true, top_logprobs: count }),
  },
  answerChoices: (count) => ({ guided_choice: texts(count) }),
  embeddingInputs: {
    embeddings: (count) => ({ input: texts(count) }),
    embed: (count) => ({ texts: texts(count) }),
    'v2/embed': (count) => ({ texts: texts(count) }),
    'api/embed': (count) => ({ input: texts(count) }),
  },
  rerankDocuments: (count) => ({ documents: texts(count) }),
  moderationCharacters: (count) => ({ input: ['a', 'x'.repeat(count - 1)] }),
  moderationInputs: (count) => ({ input: texts(count) }),
  images: (count) => ({ n: count }),
  imagePromptCharacters: (count) => ({ prompt: 'x'.repeat(count) }),
  tokenizedCharacters: (count) => ({ prompt: 'x'.repeat(count) }),
  detokenizedTokens: (count) => ({ tokens: times(count, () => 1) }),
  speechCharacters: (count) => ({ input: '🙂'.repeat(count) }),
}

const plain: Readonly<Record<string, object>> = { ...plainBodies, 'v2/rerank': plainBodies.rerank }
const manifest: ModelManifest = {
  ...{ id: 'org/model', type: 'chat', engine: 'llama', aliases: [], capabilities: {}, defaults: {}, files: [] },
}

const textLimits = { embeddingInputs: limits.embeddingInputs.most, rerankDocuments: limits.rerankDocuments.most }

/** Returns whether an export is a dialect. The type accepts any dialect's bodies. */
function isDialect(value: unknown): value is WorkDialect<WorkCall, never> {
  return typeof value === 'object' && value !== null && 'parse' in value
}

function refusalOf(work: () => unknown): ApiError | undefined {
  try {
    work()
  } catch (error) {
    if (error instanceof ApiError) return error
    throw error
  }
  return undefined
}

/** Reads a body as the server does with the usual settings. */
function read(endpoint: string, fields: object): unknown {
  const all: readonly unknown[] = Object.values(dialects)
  const dialect = all.filter(isDialect).find((each) => each.endpoint === endpoint)
  if (dialect === undefined) throw new Error(`there is no endpoint ${endpoint}`)
  const call = dialect.parse({ ...plain[endpoint], ...fields })
  dialect.require?.(call, manifest, textLimits)
  return call
}

const rows = Object.entries<Limit>(limits).flatMap(([name, limit]) =>
  limit.at.map((endpoint) => ({ name: name as keyof typeof limits, endpoint, ...limit })),
)

test.each(rows)('$name at $endpoint: $most are taken, one more is refused', ({ name, endpoint, most, code }) => {
  const made = bodies[name]
  const fields = typeof made === 'function' ? made : made[endpoint]
  if (fields === undefined) throw new Error(`there is no body of ${endpoint} with ${name}`)
  expect(refusalOf(() => read(endpoint, fields(most)))).toBeUndefined()
  const refusal = refusalOf(() => read(endpoint, fields(most + 1)))
  expect(refusal?.code).toBe(code ?? 'invalid_value')
  expect(refusal?.message).toContain(String(most))
})

const noLimit: readonly (readonly [endpoint: string, fields: object])[] = [
  ['chat/completions', { max_tokens: -1 }],
  ['chat/completions', { max_completion_tokens: -1 }],
  ['chat/completions', { max_completion_tokens: -1, max_tokens: 5 }],
  ['completions', { max_tokens: -1 }],
  ['fim/completions', { max_tokens: -1 }],
  ['responses', { max_output_tokens: -1 }],
  ['messages', { max_tokens: -1 }],
  ['api/chat', { options: { num_predict: -1 } }],
  ['api/chat', { options: { num_predict: -2 } }],
  ['api/generate', { options: { num_predict: -1 } }],
]

test.each(noLimit)('%s with %j has no limit of tokens', (endpoint, fields) => {
  expect(read(endpoint, fields)).toHaveProperty('request.maxTokens', undefined)
})

test.each([
  ['chat/completions', { reasoning: { max_tokens: -1, enabled: true } }],
  ['chat/completions', { thinking: { type: 'enabled', budget_tokens: -1 } }],
  ['messages', { thinking: { type: 'enabled', budget_tokens: -1 } }],
])('%s with %j thinks without a limit', (endpoint, fields) => {
  expect(read(endpoint, fields)).toHaveProperty('request.reasoning', { mode: 'on' })
})

test.each([
  ['chat/completions', { max_tokens: 0 }, 'max_tokens'],
  ['chat/completions', { max_completion_tokens: -2 }, 'max_completion_tokens'],
  ['completions', { max_tokens: 0 }, 'max_tokens'],
  ['fim/completions', { max_tokens: -57 }, 'max_tokens'],
  ['responses', { max_output_tokens: 1.5 }, 'max_output_tokens'],
  ['messages', { max_tokens: -2 }, 'max_tokens'],
])('%s with %j is refused: a limit that a client got wrong is not taken for none', (endpoint, fields, param) => {
  const refusal = refusalOf(() => read(endpoint, fields))
  expect([refusal?.param, refusal?.message]).toEqual([
    param,
    `'${param}' must be an integer of at least 1, or -1 for no limit.`,
  ])
})
