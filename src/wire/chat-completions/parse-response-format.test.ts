import { expect, test } from 'bun:test'
import { refusalOf } from '../../testing/refusal.ts'
import { parseResponseFormat } from './parse-response-format.ts'

const anyObject = { type: 'object' }
const schema = { type: 'object', properties: { a: { type: 'string' } } }

test.each<[string, unknown, unknown]>([
  ['nothing', undefined, undefined],
  ['text', { type: 'text' }, undefined],
  ['json_object', { type: 'json_object' }, anyObject],
  ['json_object with a schema, as some servers take it', { type: 'json_object', schema }, schema],
  ['json_object with a schema as its value', { type: 'json_object', value: schema }, schema],
  ['json_schema', { type: 'json_schema', json_schema: { name: 'x', schema, strict: true } }, schema],
  ['json_schema without a schema', { type: 'json_schema', json_schema: { name: 'x' } }, anyObject],
  ['json_schema with null for a schema', { type: 'json_schema', json_schema: { schema: null } }, anyObject],
])('edge case 14: %s', (_, format, expected) => {
  expect(parseResponseFormat(format).answerSchema).toEqual(expected as never)
})

test('edge case 14: a schema with references, enum, const and a choice with null, strict or not', () => {
  const rich = {
    $ref: '#/$defs/City',
    $defs: {
      City: {
        type: 'object',
        properties: {
          kind: { const: 'city' },
          size: { enum: ['s', 'm', 5, null] },
          mayor: { anyOf: [{ $ref: '#/$defs/Person' }, { type: 'null' }] },
        },
        required: ['kind', 'size', 'mayor'],
        additionalProperties: false,
      },
      Person: { type: 'object', properties: { name: { type: 'string' } } },
    },
  }
  for (const strict of [true, false, undefined]) {
    expect(parseResponseFormat({ type: 'json_schema', json_schema: { schema: rich, strict } })).toEqual({
      answerSchema: rich,
      answerSchemaOrigin: { path: 'response_format.json_schema.schema', isStrict: strict ?? false },
    })
  }
})

test.each<[string, string, unknown]>([
  ['response_format', 'invalid_value', 'json'],
  ['response_format.type', 'missing_required_parameter', {}],
  ['response_format.type', 'invalid_value', { type: 'grammar' }],
  ['response_format.json_schema', 'missing_required_parameter', { type: 'json_schema' }],
  ['response_format.json_schema', 'invalid_value', { type: 'json_schema', json_schema: [] }],
  ['response_format.json_schema.strict', 'invalid_value', { type: 'json_schema', json_schema: { strict: 1 } }],
  ['response_format.json_schema.schema', 'invalid_schema', { type: 'json_schema', json_schema: { schema: 5 } }],
  [
    'response_format.json_schema.schema',
    'invalid_schema',
    { type: 'json_schema', json_schema: { strict: true, schema: { items: { $ref: 'https://example.org/a.json' } } } },
  ],
])('the refused field is %s (%s)', (param, code, format) => {
  expect(refusalOf(() => parseResponseFormat(format))).toEqual({ kind: 'invalid_request', code, param })
})
