import { expect, test } from 'bun:test'
import { ApiError } from '../../core/errors.ts'
import { agentSchemas } from '../../testing/agent-schemas.ts'
import { checkSchema } from './check-schema.ts'

const strict = { path: 'p', isStrict: true }
const lenient = { path: 'p', isStrict: false }

function problemOf(schema: unknown, origin = strict): string {
  try {
    checkSchema(schema, origin)
  } catch (error) {
    if (error instanceof ApiError && error.code === 'invalid_schema' && error.param === 'p') return error.message
    throw error
  }
  return ''
}

test.each(Object.entries(agentSchemas))('%s is passed on as it was written', (_, schema) => {
  expect(checkSchema(schema, strict)).toBe(schema)
})

test('what one engine may not be able to hold is passed on', () => {
  const schema = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    allOf: [{ $ref: '#/$defs/gone' }, { not: {}, pattern: '(?=a)', minItems: -1 }],
    properties: { $ref: { enum: [{ $ref: 'https://example.org' }] } },
  }
  expect(checkSchema(schema, strict)).toEqual(schema)
})

test.each<[unknown, string]>([
  ['object', 'it must be an object'],
  [false, 'it must be an object'],
  [[], 'it must be an object'],
  [{ $ref: 'a.json' }, "$ref 'a.json' leads out of the schema"],
  [{ items: { $ref: 'https://example.org/a' } }, "at 'items': $ref 'https://example.org/a'"],
  [{ anyOf: [{}, { properties: { a: { $ref: '/a' } } }] }, "at 'anyOf[1].properties.a': $ref '/a'"],
  [{ $defs: { a: { additionalProperties: { $ref: 'a' } } } }, "at '$defs.a.additionalProperties': $ref 'a'"],
  [{ description: 'x'.repeat(262_144) }, 'it has more than 262144 characters'],
  [JSON.parse(`${'{"items":'.repeat(100_000)}{}${'}'.repeat(100_000)}`), 'it is nested deeper than 60'],
])('%p is refused by any engine', (schema, problem) => {
  expect(problemOf(schema)).toContain(problem)
})

test('references that the engine may find are passed on, all where nobody insists on them', () => {
  const reference = { items: { $ref: 'https://example.org/a' } }
  for (const schema of [reference, { $id: 'https://example.org/a', ...reference }]) {
    expect(checkSchema(schema, lenient)).toEqual(schema)
  }
  expect(problemOf({ $id: 'https://example.org/a', ...reference })).toBe('')
})
