import { describe, expect, test } from 'bun:test'
import { ApiError } from '../../../core/errors.ts'
import type { JsonObject, JsonValue } from '../../../core/json.ts'
import { rejectionOf } from '../../../testing/refusal.ts'
import { translated } from '../../../testing/translated-schema.ts'

function lenient(schema: unknown): Promise<JsonObject> {
  return translated(schema, { path: 'p', isStrict: false })
}

function strict(schema: unknown): Promise<JsonObject> {
  return translated(schema, { path: 'p', isStrict: true })
}

function messageOf(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => '',
    (error: unknown) => {
      if (error instanceof ApiError) return error.message
      throw error
    },
  )
}

const refused = { kind: 'invalid_request', code: 'invalid_schema', param: 'p' }

function nested(depth: number): JsonObject {
  let schema: JsonObject = { type: 'string' }
  for (let level = 0; level < depth; level++) schema = { type: 'object', properties: { a: schema } }
  return schema
}

describe('what stays', () => {
  test.each<[string, JsonObject]>([
    ['types', { type: 'object', properties: { a: { type: 'boolean' }, b: { type: ['string', 'null'] } } }],
    [
      'required and closed objects',
      { type: 'object', properties: { a: {} }, required: ['a'], additionalProperties: false },
    ],
    ['open objects', { type: 'object', properties: { a: {} }, additionalProperties: { type: 'integer' } }],
    ['enum and const', { type: 'object', properties: { a: { enum: ['x', 1, null] }, b: { const: { c: 1 } } } }],
    ['lists', { type: 'array', items: { type: 'string' }, minItems: 1, maxItems: 5 }],
    ['tuples', { type: 'array', prefixItems: [{ type: 'string' }, { type: 'number' }] }],
    ['lengths', { type: 'string', minLength: 1, maxLength: 1000 }],
    ['large lengths', { type: 'string', minLength: 2000, maxLength: 400_000 }],
    ['long lists', { type: 'array', items: { type: 'string' }, minItems: 2000, maxItems: 5000 }],
    ['patterns as they were written', { type: 'string', pattern: '^\\w+(?!x)', maxLength: 40 }],
    ['formats with patterns', { type: 'string', format: 'date', pattern: '^\\d{4}-\\d{2}-\\d{2}$' }],
    ['a pattern in place of a format that excludes it', { type: 'string', format: 'date', pattern: '^2$' }],
    ['integer bounds', { type: 'integer', minimum: -5, maximum: 5 }],
    ['bounds of fractions', { type: 'number', minimum: 0.5, exclusiveMaximum: 10 }],
    ['multiples', { type: 'integer', multipleOf: 5, minimum: 3, maximum: 20 }],
    ['multiples of fractions', { type: ['number', 'null'], multipleOf: 0.01 }],
    ['formats within lengths', { type: 'string', format: 'email', maxLength: 255 }],
    ['choices', { anyOf: [{ type: 'string' }, { type: 'null' }] }],
    [
      'notes for the model',
      { type: 'string', title: 'T', description: 'D', default: 'x', examples: ['y'], format: 'uri' },
    ],
    [
      'recursion through properties',
      {
        $ref: '#/$defs/Node',
        $defs: {
          Node: {
            type: 'object',
            properties: { next: { $ref: '#/$defs/Node' }, all: { type: 'array', items: { $ref: '#/$defs/Node' } } },
          },
        },
      },
    ],
  ])('%s', async (_, schema) => {
    expect(await strict(schema)).toEqual(schema)
    expect(await lenient(schema)).toEqual(schema)
  })
})

describe('what is said in other words', () => {
  test.each<[string, JsonValue, JsonValue]>([
    ['true', true, {}],
    ['keywords without meaning', { $schema: 'x', $id: 'y', type: 'string', encrypted: true }, { type: 'string' }],
    [
      'encrypted properties, but not a property of that name',
      { type: 'object', properties: { encrypted: { type: 'string', encrypted: true } } },
      { type: 'object', properties: { encrypted: { type: 'string' } } },
    ],
    ['oneOf', { oneOf: [{ type: 'string' }, { type: 'null' }] }, { anyOf: [{ type: 'string' }, { type: 'null' }] }],
    ['a choice of one', { anyOf: [{ type: 'string' }], description: 'D' }, { type: 'string', description: 'D' }],
    ['nullable', { type: 'string', nullable: true }, { type: ['string', 'null'] }],
    [
      'nullable enums',
      { type: 'string', enum: ['a'], nullable: true },
      { type: ['string', 'null'], enum: ['a', null] },
    ],
    ['upper case types', { type: 'OBJECT', properties: {} }, { type: 'object', properties: {} }],
    [
      'a type for each keyword',
      { properties: { a: { items: { minLength: 1 } } } },
      {
        type: 'object',
        properties: { a: { type: 'array', items: { type: 'string', minLength: 1 } } },
      },
    ],
    ['numbers that are integers too', { type: ['integer', 'number'] }, { type: 'number' }],
    ['values of another type', { type: 'string', enum: ['a', 1, null] }, { type: 'string', enum: ['a'] }],
    [
      'values beyond a limit',
      { enum: [1, 5, 'ab', 'abc', true, [1]], exclusiveMaximum: 5, minLength: 3 },
      { enum: [1, 'abc', true, [1]] },
    ],
    [
      'exclusive bounds',
      { type: 'integer', exclusiveMinimum: 0, exclusiveMaximum: 9.5 },
      { type: 'integer', minimum: 1, maximum: 9 },
    ],
    [
      'exclusive bounds of fractions of draft 4',
      { type: 'number', minimum: 1, exclusiveMinimum: true, maximum: 5, exclusiveMaximum: false },
      { type: 'number', exclusiveMinimum: 1, maximum: 5 },
    ],
    ['bounds of numbers that are none', { type: 'number', minimum: -1e300, maximum: 1e300 }, { type: 'number' }],
    ['a format without a type', { format: 'date' }, { type: 'string', format: 'date' }],
    [
      'a format beside a choice',
      { type: 'array', items: { anyOf: [{ type: 'string' }, { type: 'null' }], format: 'date' } },
      {
        type: 'array',
        items: {
          format: 'date',
          anyOf: [
            { type: 'string', format: 'date' },
            { type: 'null', format: 'date' },
          ],
        },
      },
    ],
    ['values that are multiples', { enum: [0.07, 0.075], multipleOf: 0.01 }, { enum: [0.07] }],
    [
      'exclusive bounds of draft 4',
      { type: 'integer', minimum: 1, exclusiveMinimum: true },
      { type: 'integer', minimum: 2 },
    ],
    [
      'fractions as integer bounds',
      { type: 'integer', minimum: 0.5, maximum: 3.5 },
      { type: 'integer', minimum: 1, maximum: 3 },
    ],
    [
      'bounds that are none',
      { type: 'integer', minimum: -9007199254740991, maximum: 9007199254740991 },
      { type: 'integer' },
    ],
    ['bounds beyond any integer', { type: 'integer', minimum: -1e300, maximum: 1e300 }, { type: 'integer' }],
    [
      'a large lower bound alone',
      { type: 'integer', minimum: 100 },
      { type: 'integer', minimum: 100, maximum: 9007199254740991 },
    ],
    [
      'a negative upper bound alone',
      { type: 'integer', maximum: -1 },
      { type: 'integer', minimum: -9007199254740991, maximum: -1 },
    ],
    ['limits that no answer reaches', { type: 'string', maxLength: 4294967296 }, { type: 'string' }],
    [
      'a forbidden property',
      { type: 'object', properties: { a: false, b: true } },
      { type: 'object', properties: { b: {} } },
    ],
    ['no items', { type: 'array', items: false }, { type: 'array', maxItems: 0 }],
    [
      'draft 4 tuples',
      { type: 'array', items: [{ type: 'string' }] },
      { type: 'array', prefixItems: [{ type: 'string' }] },
    ],
    [
      'more items than are named',
      { type: 'array', prefixItems: [{ const: 1 }], items: { const: 2 }, minItems: 3 },
      {
        type: 'array',
        prefixItems: [{ const: 1 }, { const: 2 }, { const: 2 }],
      },
    ],
    [
      'fewer items than are named',
      { type: 'array', prefixItems: [{ const: 1 }, { const: 2 }], maxItems: 1 },
      {
        type: 'array',
        prefixItems: [{ const: 1 }],
      },
    ],
    [
      'required properties without a schema',
      { type: 'object', required: ['a'] },
      {
        type: 'object',
        properties: { a: {} },
        required: ['a'],
        additionalProperties: true,
      },
    ],
    [
      'names of any form',
      { type: 'object', patternProperties: { '.*': { type: 'string' } }, additionalProperties: false },
      {
        type: 'object',
        additionalProperties: { type: 'string' },
      },
    ],
    [
      'allOf of one reference',
      { allOf: [{ $ref: '#/$defs/A' }], description: 'D', $defs: { A: { type: 'string' } } },
      {
        $ref: '#/$defs/A',
        description: 'D',
        $defs: { A: { type: 'string' } },
      },
    ],
    [
      'allOf',
      {
        allOf: [
          { type: 'object', properties: { a: { type: 'number' } }, required: ['a'] },
          { properties: { a: { type: 'integer' }, b: {} }, required: ['b'] },
        ],
      },
      {
        type: 'object',
        properties: { a: { $ref: '#/$defs/part' }, b: {} },
        required: ['a', 'b'],
        $defs: { part: { type: 'integer' } },
      },
    ],
    [
      'patterns that are joined',
      {
        allOf: [
          { type: 'string', pattern: '^a', format: 'starts_with' },
          { pattern: 'b$', format: 'email' },
        ],
      },
      { type: 'string', pattern: '^(?=(?:^a)|[^]+(?:^a))(?=(?:b$)|[^]+(?:b$))', format: 'email' },
    ],
    [
      'constraints beside a reference',
      { type: 'object', properties: { a: { $ref: '#/$defs/S', maxLength: 3 } }, $defs: { S: { type: 'string' } } },
      {
        type: 'object',
        properties: { a: { $ref: '#/$defs/part' } },
        $defs: { part: { type: 'string', maxLength: 3 } },
      },
    ],
    [
      'constraints beside a choice',
      { type: 'string', anyOf: [{ maxLength: 2 }, { const: 'long' }, { type: 'null' }] },
      {
        type: 'string',
        anyOf: [
          { type: 'string', maxLength: 2 },
          { type: 'string', const: 'long' },
        ],
      },
    ],
    [
      'definitions by other names',
      { type: 'array', items: { $ref: '#/definitions/a%20b~1c' }, definitions: { 'a b/c': { type: 'string' } } },
      {
        type: 'array',
        items: { $ref: '#/$defs/a-b-1c' },
        $defs: { 'a-b-1c': { type: 'string' } },
      },
    ],
    [
      'the root as a definition',
      { type: 'object', properties: { a: { $ref: '#' } } },
      {
        type: 'object',
        properties: { a: { $ref: '#/$defs/root' } },
        $defs: { root: { type: 'object', properties: { a: { $ref: '#/$defs/root' } } } },
      },
    ],
    [
      'half a character',
      { type: 'string', description: 'a\ud83d', enum: ['\ud83d'] },
      { type: 'string', description: 'a\ufffd', enum: ['\ufffd'] },
    ],
  ])('%s', async (_, schema, expected) => {
    expect(await strict(schema)).toEqual(expected as JsonObject)
    expect(await lenient(schema)).toEqual(expected as JsonObject)
  })

  test.each<[string, JsonObject, JsonObject]>([
    [
      'further properties beside one with a name that breaks the grammar',
      { type: 'object', properties: { 'a"\\': {} }, additionalProperties: true },
      { type: 'object', properties: { 'a"\\': {} }, additionalProperties: false },
    ],
    ['alternatives that nothing fits', { anyOf: [{ type: 'string' }, false, { not: {} }] }, { type: 'string' }],
    [
      'a choice within a property, without what is repeated in each',
      { type: 'object', properties: { a: { type: 'string', anyOf: [{ maxLength: 2 }, { minLength: 5 }] } } },
      {
        type: 'object',
        properties: {
          a: {
            anyOf: [
              { type: 'string', maxLength: 2 },
              { type: 'string', minLength: 5 },
            ],
          },
        },
      },
    ],
    [
      'a root that is referred to, without its definitions in it',
      { type: 'array', items: { $ref: '#' }, $defs: { A: { type: 'string' } } },
      {
        type: 'array',
        items: { $ref: '#/$defs/root' },
        $defs: { root: { type: 'array', items: { $ref: '#/$defs/root' } } },
      },
    ],
    [
      'half a character in a name',
      { type: 'object', properties: { 'a\ud83d': {} }, required: ['a\ud83d'] },
      { type: 'object', properties: { 'a\ufffd': {} }, required: ['a\ufffd'] },
    ],
    ['a value at an exclusive bound', { enum: [1, 2], exclusiveMinimum: 1 }, { enum: [2] }],
  ])('%s', async (_, schema, expected) => {
    expect(await strict(schema)).toEqual(expected)
  })

  test('definitions whose names the converter would mix up', async () => {
    const schema = {
      type: 'object',
      properties: { a: { $ref: '#/$defs/x_y' }, b: { $ref: '#/$defs/x.y' } },
      $defs: { x_y: { type: 'string' }, 'x.y': { type: 'null' } },
    }
    expect((await strict(schema)).$defs).toEqual({ x_y: { type: 'string' }, 'x-y-2': { type: 'null' } })
  })

  test('a property named like a member of every object is a property', async () => {
    const schema = JSON.parse('{"type":"object","properties":{"__proto__":{"type":"string"},"constructor":{}}}')
    expect(JSON.stringify(await strict(schema))).toBe(JSON.stringify(schema))
  })
})

describe('what no grammar can hold', () => {
  const object = { type: 'object', properties: { a: { type: 'string' } } }
  test.each<[string, JsonObject, JsonValue]>([
    ['not', { type: 'string', not: { const: 'a' } }, { type: 'string' }],
    ['if', { ...object, if: { required: ['b'] }, else: { required: ['a'] } }, object],
    ['propertyNames', { type: 'object', propertyNames: { pattern: '^a' } }, { type: 'object' }],
    [
      'patternProperties',
      { type: 'object', patternProperties: { '^a': { type: 'null' } }, additionalProperties: false },
      {
        type: 'object',
        additionalProperties: { type: 'null' },
      },
    ],
    [
      'patternProperties',
      { ...object, patternProperties: { '.*': { maxLength: 1 } } },
      { ...object, additionalProperties: { type: 'string', maxLength: 1 } },
    ],
    [
      'patternProperties',
      { type: 'object', patternProperties: { '.*': { type: 'null' } }, additionalProperties: {} },
      { type: 'object', additionalProperties: {} },
    ],
    [
      'properties',
      { type: 'object', properties: { a: false }, additionalProperties: true },
      { type: 'object', properties: {}, additionalProperties: true },
    ],
    ['uniqueItems', { type: 'array', uniqueItems: true }, { type: 'array' }],
    ['contains', { type: 'array', contains: { const: 1 } }, { type: 'array' }],
    ['minProperties', { ...object, minProperties: 1 }, object],
    ['dependentRequired', { ...object, dependentRequired: { a: ['b'] } }, object],
    ['multipleOf', { type: 'number', multipleOf: 0.3333 }, { type: 'number', multipleOf: 0.3333 }],
    [
      'minItems',
      { type: 'array', prefixItems: [{}], minItems: 500 },
      { type: 'array', prefixItems: Array(64).fill({}) },
    ],
    ['properties', { type: 'object', properties: { '': {}, a: {} } }, { type: 'object', properties: { a: {} } }],
    [
      'multipleOf',
      { type: 'integer', multipleOf: 101, minimum: 0.5 },
      { type: 'integer', multipleOf: 101, minimum: 1 },
    ],
    [
      'multipleOf',
      { allOf: [{ type: 'integer', multipleOf: 2 }, { multipleOf: 3 }] },
      { type: 'integer', multipleOf: 2 },
    ],
    ['minimum', { type: 'integer', minimum: 5, maximum: 3 }, { type: 'integer' }],
    ['minimum', { type: 'number', minimum: 5, maximum: 3 }, { type: 'number', minimum: 5, maximum: 3 }],
    [
      'minimum',
      { type: 'integer', minimum: 11, maximum: 19, multipleOf: 10 },
      { type: 'integer', minimum: 11, maximum: 19, multipleOf: 10 },
    ],
    ['minimum', { type: 'number', minimum: 'a' }, { type: 'number' }],
    ['enum', { enum: [3, 7], multipleOf: 2 }, {}],
    ['format', { type: 'string', format: 'date', maxLength: 5 }, { type: 'string', format: 'date', maxLength: 5 }],
    ['pattern', { type: 'string', pattern: '(?=a)b' }, { type: 'string' }],
    ['pattern', { type: 'string', pattern: '(a)\\1' }, { type: 'string' }],
    ['pattern', { type: 'string', pattern: '\\bword\\b' }, { type: 'string' }],
    ['pattern', { type: 'string', pattern: '((' }, { type: 'string' }],
    ['enum', { type: 'string', enum: [] }, { type: 'string' }],
    ['const', { type: 'string', const: 5 }, { type: 'string' }],
    ['const', { const: 'ab', maxLength: 1 }, {}],
    ['const', { const: { a: 1 }, required: ['b'] }, { const: { a: 1 } }],
    ['const', { const: 1, enum: [2, 3] }, {}],
    ['enum', { enum: ['a', 'b'], pattern: '^a' }, { enum: ['a', 'b'] }],
    ['type', { type: 'file' }, {}],
    ['anyOf', { type: 'string', anyOf: [] }, { type: 'string' }],
    [
      'required',
      { ...object, required: ['b'], additionalProperties: false },
      { ...object, additionalProperties: false },
    ],
    ['allOf', { type: 'string', allOf: [{ type: 'number' }] }, {}],
    [
      'items',
      { type: 'array', items: [{ const: 1 }], allOf: [{ items: { type: 'number' } }] },
      { type: 'array', prefixItems: [{ const: 1 }] },
    ],
  ])('%s is refused when strict, and left out or left as a hint otherwise: %j', async (keyword, schema, expected) => {
    expect(await rejectionOf(strict(schema))).toEqual(refused)
    expect(await messageOf(strict(schema))).toContain(`'${keyword}'`)
    expect(await lenient(schema)).toEqual(expected as JsonObject)
  })

  test('the message names the place', async () => {
    const schema = { type: 'object', properties: { a: { type: 'array', items: { type: 'string', not: {} } } } }
    expect(
      await messageOf(strict({ ...schema, properties: { a: { items: { anyOf: [{}, { if: true }] } } } })),
    ).toContain("at 'properties.a.items.anyOf[1]': keyword 'if'")
  })
})

describe('what is refused', () => {
  const chain = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`d${index}`, choice(index + 1)]))
  function choice(index: number): JsonObject {
    return index === 40 ? { type: 'string' } : { anyOf: [{ $ref: `#/$defs/d${index}` }, { $ref: `#/$defs/d${index}` }] }
  }
  const inlined = Object.fromEntries(
    Array.from({ length: 40 }, (_, index) => [
      `d${index}`,
      { allOf: [{ $ref: `#/$defs/d${index + 1}` }, { $ref: `#/$defs/d${index + 1}` }] },
    ]),
  )

  function chained(count: number): JsonObject {
    return Object.fromEntries(
      Array.from({ length: count }, (_, index) => [
        `d${index}`,
        { type: 'array', items: index + 1 < count ? { $ref: `#/$defs/d${index + 1}` } : {} },
      ]),
    )
  }

  /** Returns a part within twenty properties of 250 characters each. */
  function spine(levels: number, part: JsonObject): JsonObject {
    return levels === 0 ? part : { type: 'object', properties: { ['x'.repeat(250)]: spine(levels - 1, part) } }
  }

  function many(count: number): JsonObject {
    return { type: 'object', properties: Object.fromEntries(Array.from({ length: count }, (_, index) => [index, {}])) }
  }

  test.each<[string, unknown]>([
    ['text', 'string'],
    ['false', false],
    ['null', null],
    ['a list', []],
    ['a schema of 61 levels', nested(31)],
    ['a schema of 100,000 levels', JSON.parse(`${'{"items":'.repeat(100_000)}{}${'}'.repeat(100_000)}`)],
    ['a schema of more than 256 kB', { type: 'string', description: 'x'.repeat(262_144) }],
  ])('%s is refused, strict or not', async (_, schema) => {
    expect(await rejectionOf(lenient(schema))).toEqual(refused)
    expect(await rejectionOf(strict(schema))).toEqual(refused)
  })

  test.each<[string, unknown]>([
    ['a property that is no schema', { type: 'object', properties: { a: 'string' } }],
    ['properties that are a list', { type: 'object', properties: [] }],
    ['a reference to nothing', { $ref: '#/$defs/A' }],
    ['a reference by anchor', { $ref: '#A' }],
    ['a reference to another document', { $ref: 'https://example.org/a.json' }],
    ['a reference with a broken escape', { $ref: '#/%zz' }],
    ['a reference that is no text', { $ref: 5 }],
    ['a circle of references', { $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } } }],
    ['a reference to itself', { $ref: '#' }],
    ['allOf of itself', { type: 'object', allOf: [{ $ref: '#' }] }],
    ['a choice of itself', { anyOf: [{ $ref: '#' }, { type: 'null' }] }],
    ['a circle within a property', { type: 'object', properties: { a: { $ref: '#/properties/a' } } }],
    [
      'too many properties in one object',
      { type: 'object', properties: Object.fromEntries(Array.from({ length: 300 }, (_, i) => [i, {}])) },
    ],
    ['a property with a very long name', { type: 'object', properties: { ['x'.repeat(300)]: {} } }],
    ['many parts deep within properties of long names', spine(20, many(200))],
    ['too many parts', { anyOf: Array.from({ length: 6_000 }, () => ({})) }],
    ['choices that double forty times', { type: 'object', properties: { a: { $ref: '#/$defs/d0' } }, $defs: chain }],
    ['references in references, a thousand deep', { $ref: '#/$defs/d0', $defs: chained(1_000) }],
    ['references that double forty times', { $ref: '#/$defs/d0', $defs: { ...inlined, d40: { type: 'string' } } }],
  ])('%s is refused quickly when strict, and left to the model otherwise', async (_, schema) => {
    expect(await rejectionOf(lenient(schema))).toBeUndefined()
    expect(await rejectionOf(strict(schema))).toEqual(refused)
  })

  test.each([
    [{ $ref: '#' }],
    [{ type: 'object', allOf: [{ $ref: '#' }] }],
    [{ $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } } }],
  ])('%j is said to refer to itself', async (schema) => {
    expect(await messageOf(strict(schema))).toContain('it refers to itself')
  })

  test('half of each limit is taken', async () => {
    expect(await rejectionOf(strict(nested(29)))).toBeUndefined()
    expect(await rejectionOf(strict({ type: 'string', description: 'x'.repeat(131_072) }))).toBeUndefined()
  })

  test('a schema that joins itself into ever new ones comes to an end', async () => {
    const schema = {
      type: 'object',
      properties: {
        child: { allOf: [{ $ref: '#' }, { properties: { child: { properties: { x: {} } }, y: {} } }] },
      },
    }
    const startMs = performance.now()
    await rejectionOf(lenient(schema))
    expect(performance.now() - startMs).toBeLessThan(2_000)
  })
})

const longPattern =
  "^(?!\\.)(?!.*\\.\\.)([A-Za-z0-9_'+\\-\\.]*)[A-Za-z0-9_+-]@([A-Za-z0-9][A-Za-z0-9\\-]*\\.)+[A-Za-z]{2,}$"

test('equal texts count once towards the rules of all texts', async () => {
  const mail = { type: 'string', format: 'email', pattern: longPattern }
  const properties = Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`p${index}`, mail]))
  const translation = await strict({ type: 'object', properties })
  expect(JSON.stringify(translation).split('"pattern"').length - 1).toBe(200)
})

test('after many texts that cannot be held the others are left', async () => {
  const properties = (count: number) =>
    Object.fromEntries(
      Array.from({ length: count }, (_, index) => {
        return [`p${index}`, { type: 'string', pattern: `^([ab]*a[ab]{16}|x{${index}}y*a.{12}){1,9}$`, maxLength: 255 }]
      }),
    )
  const schema = { type: 'object', properties: { ...properties(200), last: { type: 'string', pattern: '^a+$' } } }
  const translation = JSON.stringify(await lenient(schema))
  const held = translation.split('"pattern"').length - 1
  expect(held).toBeGreaterThan(10)
  expect(held).toBeLessThan(100)
}, 60_000)
