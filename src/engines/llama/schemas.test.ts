/** An answer keeps to any schema, even from a model with random weights. */
import { expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Ajv2020 from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import fc from 'fast-check'
import type { JsonObject, JsonValue } from '../../core/json.ts'
import { tinyGguf } from '../../testing/gguf/tiny-gguf.ts'
import { startSchemaEngine } from '../../testing/schema-engine.ts'
import { shippedTemplate } from '../../testing/template-models.ts'

const schemas = 200

/** Definitions that generated schemas may refer to. */
const $defs: JsonObject = {
  name: { type: 'string', minLength: 1, maxLength: 6 },
  point: {
    type: 'object',
    properties: { x: { type: 'integer' }, y: { type: 'integer' } },
    required: ['x', 'y'],
    additionalProperties: false,
  },
  tree: {
    type: 'object',
    properties: {
      value: { type: 'integer' },
      children: { type: 'array', items: { $ref: '#/$defs/tree' }, maxItems: 2 },
    },
    required: ['value'],
    additionalProperties: false,
  },
}

const safe = { min: -Number.MAX_SAFE_INTEGER, max: Number.MAX_SAFE_INTEGER }
const bounds = fc.oneof(fc.maxSafeInteger(), fc.integer({ min: -20, max: 20 }), fc.constantFrom(safe.min, safe.max))

const leaves: readonly JsonObject[] = [
  { type: 'integer' },
  { type: 'integer', minimum: 0 },
  { type: 'number' },
  { type: 'boolean' },
  { type: 'null' },
  { type: ['string', 'null'] },
  { type: 'string', minLength: 2, maxLength: 5 },
  { type: 'string', pattern: '^[a-z]{1,3}-[0-9]{2}$' },
  { type: 'string', pattern: '^(yes|no|maybe)$' },
  { type: 'string', pattern: '^#[0-9a-fA-F]{6}$' },
  { type: 'string', format: 'date' },
  { type: 'string', format: 'date-time' },
  { type: ['string', 'null'], format: 'uuid' },
  { type: 'string', format: 'time' },
  { type: 'string', format: 'duration' },
  { type: 'string', format: 'email' },
  { type: 'string', format: 'hostname', maxLength: 60 },
  { type: 'string', format: 'ipv4' },
  { type: 'string', format: 'ipv6' },
  { type: 'number', minimum: 0, maximum: 1 },
  { type: ['number', 'null'], exclusiveMinimum: -0.25, exclusiveMaximum: 3.5 },
  { type: 'number', maximum: -2.5 },
  { type: 'integer', multipleOf: 7, minimum: -100, maximum: 100 },
  { type: 'integer', multipleOf: 25 },
  { const: 'always "this" \\ one' },
  { const: 12 },
  { enum: ['red', 'green', null, 3, true, 'ü€😀'] },
  { $ref: '#/$defs/name' },
  { $ref: '#/$defs/point' },
  { $ref: '#/$defs/tree' },
]
const names = ['a', 'b', 'long name', 'quo"te', 'ü']

/** Returns a schema; the values select its parts, one after the other. */
function schemaOf(choices: readonly number[], limits: readonly number[]): JsonObject {
  let at = 0
  const below = (count: number) => (choices[at++ % choices.length] ?? 0) % count
  const limit = () => limits[at++ % limits.length] ?? 0
  const build = (depth: number): JsonObject => {
    const kind = below(depth > 0 ? 7 : 3)
    if (kind === 0) return integerWithin(limit(), limit(), below(2) === 0, below(2) === 0)
    if (kind < 3) return leaves[below(leaves.length)] ?? {}
    if (kind === 3) return { anyOf: [build(depth - 1), below(2) === 0 ? { type: 'null' } : build(depth - 1)] }
    if (kind === 4) {
      const minItems = below(3)
      return { type: 'array', items: build(depth - 1), minItems, maxItems: minItems + below(3) }
    }
    const used = names.filter(() => below(2) === 0)
    return {
      type: 'object',
      properties: Object.fromEntries(used.map((name) => [name, build(depth - 1)])),
      required: used.filter(() => below(3) > 0),
      additionalProperties: [false, false, false, true, leaves[below(4)] ?? {}][below(5)] ?? false,
    }
  }
  return build(3)
}

function integerWithin(one: number, other: number, opensLow: boolean, opensHigh: boolean): JsonObject {
  const [low, high] = [Math.min(one, other), Math.max(one, other)]
  // Too narrow to keep a value if both ends are excluded.
  const isNarrow = high - low < 3
  return {
    type: 'integer',
    [opensLow && !isNarrow ? 'exclusiveMinimum' : 'minimum']: low,
    [opensHigh && !isNarrow ? 'exclusiveMaximum' : 'maximum']: high,
  }
}

const anySchema = fc
  .tuple(fc.array(fc.nat(), { minLength: 80, maxLength: 80 }), fc.array(bounds, { minLength: 8, maxLength: 8 }))
  .map(([choices, limits]) => schemaOf(choices, limits))

test('answers parse and validate unless they are cut', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'inferd-schemas-'))
  const file = join(folder, 'random.gguf')
  const template = { jinja: shippedTemplate('Qwen-Qwen3-0.6B') }
  writeFileSync(file, tinyGguf({ chatTemplate: template, output: 'ascii', endBias: 0 }))
  const ask = await startSchemaEngine(file)
  const ajv = new Ajv2020({ strict: false })
  addFormats(ajv)
  const generated = fc.sample(anySchema, { numRuns: schemas, seed: 1 })
  let whole = 0
  const check = async (part: JsonObject, index: number) => {
    const schema = { ...part, $defs }
    const events = await ask(schema, index)
    const text = events.map((event) => (event.type === 'text-delta' ? event.text : '')).join('')
    const end = events.find((event) => event.type === 'choice-finish')
    if (end?.reason === 'length') return
    whole++
    const value: JsonValue = JSON.parse(text)
    const isValid = ajv.validate(schema, value)
    if (!isValid) expect([JSON.stringify(schema), text]).toEqual([ajv.errorsText()])
  }
  await Promise.all(generated.map(check))
  expect(whole).toBeGreaterThan(schemas * 0.7)
  rmSync(folder, { recursive: true })
}, 60_000)
