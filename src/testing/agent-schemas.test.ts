/** The schema translation, tested with the grammar compiler that it is made for. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { join } from 'node:path'
import fc from 'fast-check'
import type { ChatRequest, Tool } from '../core/chat.ts'
import { ApiError } from '../core/errors.ts'
import type { JsonObject } from '../core/json.ts'
import { samplerOptions } from '../engines/llama/answer/samplers.ts'
import type { NativeAddon } from '../engines/llama/native.ts'
import { loadOptions, onCpu } from '../engines/llama/placement.ts'
import { preparePrompt } from '../engines/llama/prompt/prepare-prompt.ts'
import { Pauses } from '../engines/llama/schema/pauses.ts'
import { schemaLimits } from '../engines/llama/schema/schema-limits.ts'
import { withTranslatedSchemas } from '../engines/llama/schema/translate-request.ts'
import { fittingSchema } from '../wire/chat/answer-form.ts'
import { functionTool } from '../wire/chat/tools.ts'
import { agentSchemas } from './agent-schemas.ts'
import { chatRequest } from './chat-request.ts'
import { messyDocument } from './messy-schema.ts'
import { openTestAddon } from './native-options.ts'
import { type TemplateModel, withAbilities } from './template-models.ts'

const root = join(import.meta.dir, '..', '..')
let addon: NativeAddon
let model: TemplateModel

beforeAll(async () => {
  addon = await openTestAddon()
  const path = join(root, 'models', 'starter', 'starter-chat-q8_0.gguf')
  model = await withAbilities(await addon.loadModel(loadOptions(path, onCpu)))
})

afterAll(() => model.close())

/** Renders a request and compiles its grammar, as the engine does. */
async function compile(parts: Partial<ChatRequest>): Promise<void> {
  const given = chatRequest({ reasoning: { mode: 'off' }, ...parts })
  const request = await withTranslatedSchemas(given, new Pauses())
  const prompt = await preparePrompt(model, request)
  expect(prompt.grammar.text).not.toBe('')
  new addon.Sampler(model, samplerOptions(request, prompt, { choice: 0, randomSeed: 1 }))
}

function toolOf(parameters: JsonObject): Tool {
  return functionTool({ name: 'tool', description: 'Does it.', parameters }, 'tools[0].function')
}

test.each(Object.entries(agentSchemas))('%s compiles as a tool and as an answer', async (_, schema) => {
  await compile({ tools: [toolOf(schema)], toolChoice: { mode: 'required' } })
  await compile({ tools: [toolOf(schema)] })
  await compile(fittingSchema(schema, { path: 'p', isStrict: false }))
})

test.each<[string, () => JsonObject]>([
  ['as many optional properties as an object may have', () => wide(schemaLimits.propertiesPerObject)],
  ['as many levels as a schema may have', () => deep(29)],
  ['as many properties as a schema may have', () => manyWide(16, 250)],
  [
    'as many alternatives as there may be',
    () => ({ anyOf: Array.from({ length: 1_000 }, (_, index) => ({ const: index })) }),
  ],
  ['as many references in references as there may be', () => chained(schemaLimits.nesting / 2)],
  ['a long text to choose', () => ({ enum: ['"x'.repeat(60_000)] })],
  ['a hundred limited strings', () => limited(100)],
  ['repetitions of any length', () => repeated(1_000_000)],
  ['many repetitions', () => repeated(1_000)],
])('%s compile in time', async (_, make) => {
  await compile(fittingSchema(make(), { path: 'p', isStrict: true }))
})

test('what is not strict compiles always, what is strict unless it is refused', async () => {
  let compiled = 0
  await fc.assert(
    fc.asyncProperty(messyDocument, fc.boolean(), async (document, isStrict) => {
      const asAnswer = await isCompiled(() => compile(fittingSchema(document, { path: 'p', isStrict })))
      const asTool = await isCompiled(() => {
        const tool = functionTool({ name: 'f', parameters: document, strict: isStrict }, 'f')
        return compile({ tools: [tool], toolChoice: { mode: 'required' } })
      })
      expect({ document, isTaken: isStrict || (asAnswer && asTool) }).toEqual({ document, isTaken: true })
      if (asAnswer && asTool) compiled++
    }),
    { numRuns: 80 },
  )
  expect(compiled).toBeGreaterThan(10)
}, 60_000)

/** Returns false if the schema is refused correctly, before there is a grammar. Throws on any other error. */
async function isCompiled(work: () => Promise<void>): Promise<boolean> {
  try {
    await work()
  } catch (error) {
    if (!(error instanceof ApiError && error.code === 'invalid_schema')) throw error
    // A random schema may refer to itself in too many ways for any parser.
    if (error.message.includes('too many ways to read one text')) return true
    if (error.param === undefined) throw error
    return false
  }
  return true
}

function wide(count: number): JsonObject {
  const properties = Object.fromEntries(Array.from({ length: count }, (_, index) => [`p${index}`, { type: 'string' }]))
  return { type: 'object', properties }
}

function manyWide(count: number, properties: number): JsonObject {
  const members = Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, wide(properties)]))
  return { type: 'object', properties: members }
}

function deep(levels: number): JsonObject {
  let schema: JsonObject = { type: 'string' }
  for (let level = 0; level < levels; level++) schema = { type: 'object', properties: { name: schema } }
  return schema
}

function chained(count: number): JsonObject {
  const definitions = Object.fromEntries(
    Array.from({ length: count }, (_, index) => {
      const next = index + 1 < count ? { $ref: `#/$defs/d${index + 1}` } : { type: 'null' }
      return [`d${index}`, { type: 'object', properties: { n: next } }]
    }),
  )
  return { $ref: '#/$defs/d0', $defs: definitions }
}

function repeated(times: number): JsonObject {
  const item = { type: 'string', maxLength: times }
  const pattern = `^(?:a{0,${times - 2}})?b$`
  return {
    type: 'object',
    properties: {
      a: { type: 'array', items: item, maxItems: times },
      b: { type: 'array', items: item, minItems: times, maxItems: times },
      c: { type: 'string', minLength: times },
      d: { type: 'string', pattern },
    },
    required: ['a', 'b', 'c', 'd'],
  }
}

function limited(count: number): JsonObject {
  const properties = Object.fromEntries(
    Array.from({ length: count }, (_, index) => [`p${index}`, { type: 'string', maxLength: 4_000 + index }]),
  )
  return { type: 'object', properties, required: Object.keys(properties) }
}
