/**
 * Schemas in the form of current tools: some made here by these tools, some written by hand after their known output.
 */
import { asSchema } from 'ai'
import { zodResponseFormat } from 'openai-4.104/helpers/zod'
import { z } from 'zod'
import { z as z3 } from 'zod-3'
import type { JsonObject, JsonValue } from '../core/json.ts'

interface RealSchema {
  readonly name: string
  readonly schema: JsonObject
  /** True if it uses keywords of older drafts or of OpenAPI 3.0, which current validators do not know. */
  readonly isOld?: boolean
}

const Colour = {
  Red: 'red',
  Green: 'green',
} as const

const nested = z
  .object({ name: z.string().min(1).max(50), tags: z.array(z.string().max(12)).max(3) })
  .meta({ id: 'Nested' })
interface Tree {
  value: number
  children: Tree[]
}
const tree: z.ZodType<Tree> = z.lazy(() => z.object({ value: z.int().max(9), children: z.array(tree).max(2) }))

/** Schemas of one property. */
const ofZod: Readonly<Record<string, z.ZodType>> = {
  text: z.string(),
  bounded: z.string().min(2).max(4_000),
  email: z.email(),
  uuid: z.uuid(),
  date: z.iso.date(),
  datetime: z.iso.datetime(),
  time: z.iso.time(),
  duration: z.iso.duration(),
  ipv4: z.ipv4(),
  ipv6: z.ipv6(),
  url: z.url(),
  matched: z.string().regex(/^[A-Z]{2}-\d{3}$/),
  looking: z.string().regex(/^(?!0)\d{1,6}$/),
  number: z.number(),
  share: z.number().min(0).max(1),
  positive: z.int().positive(),
  step: z.number().multipleOf(0.5).min(0).max(20),
  boolean: z.boolean(),
  nothing: z.null(),
  literal: z.literal('yes'),
  literals: z.literal([1, 'two', true]),
  choice: z.enum(['a', 'b', 'c']),
  native: z.enum(Colour),
  list: z.array(z.int().min(0).max(9)).min(1).max(2_000),
  tuple: z.tuple([z.string().max(5), z.boolean()]),
  record: z.record(z.string(), z.int()),
  object: nested,
  loose: z.looseObject({ a: z.boolean() }),
  strict: z.strictObject({ a: z.boolean() }),
  optional: z.string().max(9).optional(),
  nullable: z.string().max(9).nullable(),
  standard: z.boolean().default(true),
  union: z.union([z.boolean(), z.int(), nested]),
  discriminated: z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('a'), a: z.boolean() }),
    z.object({ kind: z.literal('b'), b: z.int() }),
  ]),
  intersection: z.intersection(z.object({ a: z.boolean() }), z.object({ b: z.int() })),
  recursive: tree,
  described: z.boolean().describe('Whether it is so.'),
  readonly: z.array(z.boolean()).max(2).readonly(),
  piped: z.string().max(4).pipe(z.string().min(1)),
}

const ofZod3: Readonly<Record<string, z3.ZodTypeAny>> = {
  email: z3.string().email(),
  uuid: z3.string().uuid(),
  datetime: z3.string().datetime(),
  matched: z3
    .string()
    .regex(/^[a-z]+$/)
    .max(20),
  bounded: z3.number().int().gt(0).lt(10),
  choice: z3.enum(['a', 'b']),
  native: z3.nativeEnum(Colour),
  list: z3.array(z3.boolean()).min(1).max(3),
  tuple: z3.tuple([z3.string().max(5), z3.number()]),
  record: z3.record(z3.number().int()),
  union: z3.union([z3.boolean(), z3.object({ a: z3.boolean() })]),
  nullable: z3.string().max(9).nullable(),
  optional: z3.boolean().nullish(),
  literal: z3.literal(5),
  set: z3.set(z3.boolean()),
  map: z3.map(z3.string(), z3.boolean()),
  date: z3.date(),
  passthrough: z3.object({ a: z3.boolean() }).passthrough(),
}

const targets = ['draft-2020-12', 'draft-7', 'draft-4', 'openapi-3.0'] as const

function plain(value: unknown): JsonObject {
  return JSON.parse(JSON.stringify(value))
}

function madeByZod(): RealSchema[] {
  return Object.entries(ofZod).flatMap(([name, type]) => {
    const object = z.object({ value: type })
    const written = targets.map((target) => ({
      name: `zod 4, ${target}: ${name}`,
      schema: plain(z.toJSONSchema(object, { target, unrepresentable: 'any' })),
      isOld: target === 'draft-4' || target === 'openapi-3.0',
    }))
    return [...written, { name: `ai 7: ${name}`, schema: plain(asSchema(object).jsonSchema) }]
  })
}

function madeByZod3(): RealSchema[] {
  return Object.entries(ofZod3).flatMap(([name, type]) => {
    const object = z3.object({ value: type })
    const made: RealSchema[] = [{ name: `zod 3, ai 7: ${name}`, schema: plain(asSchema(object).jsonSchema) }]
    try {
      const { json_schema: format } = zodResponseFormat(object as never, 'answer')
      made.push({ name: `zod 3, openai 4: ${name}`, schema: plain(format.schema) })
    } catch {
      // The helper rejects optional properties.
    }
    return made
  })
}

const text: JsonObject = { type: 'string', maxLength: 10 }
const titled = (title: string, more: JsonObject): JsonObject => ({ title, ...more })
const model = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({
  ...{ properties, required: Object.keys(properties), title: 'Answer', type: 'object' },
  ...more,
})

/** Schemas of pydantic 2, FastAPI, MCP servers, OpenAPI converters and PHP, written by hand. */
const written: Readonly<Record<string, JsonValue>> = {
  'pydantic: constr': model({ value: titled('Value', { maxLength: 4000, minLength: 1, type: 'string' }) }),
  'pydantic: pattern': model({ value: titled('Value', { pattern: '^[A-Z]{3}$', type: 'string' }) }),
  'pydantic: optional': model({ value: { anyOf: [text, { type: 'null' }], default: null, title: 'Value' } }),
  'pydantic: Decimal': model({
    value: {
      anyOf: [
        { type: 'number', minimum: 0 },
        { type: 'string', pattern: '^(?!^[-+.]*$)[+-]?0*\\d*\\.?\\d*$' },
      ],
    },
  }),
  'pydantic: model in a model': model(
    { value: { $ref: '#/$defs/Inner' } },
    { $defs: { Inner: model({ a: titled('A', { type: 'integer' }) }) } },
  ),
  'pydantic: enum': model(
    { value: { $ref: '#/$defs/E' } },
    { $defs: { E: { enum: ['a', 'b'], title: 'E', type: 'string' } } },
  ),
  'pydantic: discriminated union': model(
    {
      value: {
        discriminator: { mapping: { a: '#/$defs/A', b: '#/$defs/B' }, propertyName: 'kind' },
        oneOf: [{ $ref: '#/$defs/A' }, { $ref: '#/$defs/B' }],
      },
    },
    {
      $defs: { A: model({ kind: { const: 'a', type: 'string' } }), B: model({ kind: { const: 'b', type: 'string' } }) },
    },
  ),
  'pydantic: recursive': {
    $defs: { Node: model({ next: { anyOf: [{ $ref: '#/$defs/Node' }, { type: 'null' }], default: null } }) },
    $ref: '#/$defs/Node',
  },
  'pydantic: default beside a reference': model(
    { value: { $ref: '#/$defs/E', default: 'a', description: 'One.' } },
    { $defs: { E: { enum: ['a', 'b'], type: 'string' } } },
  ),
  'pydantic 1: allOf of one': {
    ...model({ value: { title: 'Value', allOf: [{ $ref: '#/definitions/E' }] } }),
    definitions: { E: { title: 'E', description: 'An enumeration.', enum: ['a', 'b'] } },
  },
  'pydantic: tuple': model({
    value: { maxItems: 2, minItems: 2, prefixItems: [text, { type: 'boolean' }], type: 'array' },
  }),
  'pydantic: set': model({ value: { items: text, type: 'array', uniqueItems: true } }),
  'pydantic: dict': model({ value: { additionalProperties: { type: 'integer' }, type: 'object' } }),
  'pydantic: date, datetime, timedelta': model({
    a: { format: 'date', type: 'string' },
    b: { format: 'date-time', type: 'string' },
    c: { format: 'duration', type: 'string' },
  }),
  'pydantic: bytes, path, url': model({
    a: { format: 'binary', type: 'string', maxLength: 20 },
    b: { format: 'path', type: 'string', maxLength: 20 },
    c: { format: 'uri', maxLength: 2083, minLength: 1, type: 'string' },
  }),
  'MCP: definitions put into a property': {
    type: 'object',
    properties: { f: { type: 'array', items: { $defs: { F: { type: 'object' } }, $ref: '#/$defs/F' } } },
  },
  'MCP: definitions that are missing': { type: 'object', properties: { f: { $ref: '#/$defs/F' } } },
  'MCP: pointers of a larger document': { type: 'object', properties: { f: { $ref: '#/components/schemas/F' } } },
  'MCP: no arguments': {
    type: 'object',
    properties: {},
    additionalProperties: false,
    $schema: 'http://json-schema.org/draft-07/schema#',
  },
  'MCP: propertyNames': {
    type: 'object',
    properties: { f: { type: 'object', propertyNames: { pattern: '^a' }, additionalProperties: text } },
  },
  'MCP: conditions': { type: 'object', properties: { a: text }, if: { required: ['a'] }, else: { required: ['b'] } },
  'MCP: not': { type: 'object', properties: { a: { not: {} }, b: { not: { type: 'string' } } } },
  'MCP: required marks of draft 3': { type: 'object', properties: { a: { type: 'string', required: true } } },
  'OpenAPI: nullable': {
    type: 'object',
    properties: { a: { type: 'string', maxLength: 5, nullable: true } },
    required: ['a'],
  },
  'OpenAPI: nullable enum': {
    type: 'object',
    properties: { a: { type: 'string', enum: ['x', null], nullable: true } },
    required: ['a'],
  },
  'OpenAPI: exclusive flags': {
    type: 'object',
    properties: { a: { type: 'number', minimum: 0, exclusiveMinimum: true } },
  },
  'OpenAPI: int64, float, byte': {
    type: 'object',
    properties: {
      a: { type: 'integer', format: 'int64' },
      b: { type: 'number', format: 'float' },
      c: { type: 'string', format: 'byte', maxLength: 9 },
    },
  },
  'OpenAPI: example, xml, externalDocs': {
    type: 'object',
    properties: { a: { type: 'boolean', example: true, xml: { name: 'a' } } },
    externalDocs: { url: 'x' },
  },
  'OpenAPI: allOf with properties beside': {
    type: 'object',
    properties: { b: { type: 'boolean' } },
    allOf: [{ type: 'object', properties: { a: { type: 'boolean' } }, required: ['a'] }],
    required: ['b'],
  },
  'OpenAPI: file': { type: 'object', properties: { a: { type: 'file' } } },
  'PHP: lists for objects': { type: 'object', properties: [], required: [] },
  'PHP: a property that is an empty list': { type: 'object', properties: { a: [] } },
  'PHP: items that are an empty list': { type: 'object', properties: { a: { type: 'array', items: [] } } },
  'PHP: nulls for all that is absent': {
    ...{ type: 'object', description: null, required: null, enum: null, additionalProperties: null },
    properties: { a: { type: 'string', format: null, enum: null, items: null, maxLength: null, default: null } },
  },
  'Go: nothing known': { type: 'object', properties: null },
  'Go: true': { type: 'object', properties: { a: true }, additionalProperties: false },
  'Go: references by $id': {
    ...{ $schema: 'https://json-schema.org/draft/2020-12/schema', $id: 'https://example.org/t', $ref: '#/$defs/T' },
    $defs: {
      T: { type: 'object', properties: { t: { $ref: 'https://example.org/t#/$defs/U' } } },
      U: { type: 'boolean' },
    },
  },
  'Java: types in capitals': { type: 'OBJECT', properties: { a: { type: 'STRING', maxLength: 5 } }, required: ['a'] },
  'Rust: schemars': {
    ...{ $schema: 'http://json-schema.org/draft-07/schema#', title: 'T', type: 'object', required: ['n'] },
    properties: {
      n: { type: 'integer', format: 'uint32', minimum: 0.0 },
      o: { type: ['string', 'null'], maxLength: 5 },
    },
  },
  'C#: unions of types': {
    type: ['object', 'null'],
    properties: { a: { type: ['integer', 'string'], pattern: '^-?\\d{1,9}$' } },
  },
}

/** Returns new schemas each time, since some of these tools mark those they have seen. */
export function realSchemas(): RealSchema[] {
  const others = Object.entries(written).map(([name, schema]) => ({
    name,
    schema: plain(schema),
    isOld: /^OpenAPI|^Java|draft 3/.test(name),
  }))
  return [...madeByZod(), ...madeByZod3(), ...others]
}
