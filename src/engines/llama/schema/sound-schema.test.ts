import { expect, test } from 'bun:test'
import type { JsonObject, JsonValue } from '../../../core/json.ts'
import { rejectionOf } from '../../../testing/refusal.ts'
import { translated } from '../../../testing/translated-schema.ts'
import { soundSchema } from './sound-schema.ts'

const strict = { path: 'p', isStrict: true }
const lenient = { path: 'p', isStrict: false }

function withItems(items: JsonValue, more: JsonObject = {}): JsonObject {
  return { type: 'object', properties: { f: { type: 'array', items } }, ...more }
}

/** Returns the target of the items' reference. */
function targetOf(schema: JsonObject, origin = strict): unknown {
  const { properties } = soundSchema(schema, origin)
  return Object(properties).f.items.$ref
}

const id = 'https://example.org/schemas/f'

test.each<[string, JsonObject, string]>([
  ['from the root', withItems({ $ref: '#/$defs/F' }, { $defs: { F: {} } }), '#/$defs/F'],
  ['beside it', withItems({ $ref: '#/$defs/F', $defs: { F: {} } }), '#/properties/f/items/$defs/F'],
  [
    'in a schema around it',
    { type: 'object', properties: { f: { items: { $ref: '#/$defs/F' }, $defs: { F: true } } } },
    '#/properties/f/$defs/F',
  ],
  ['from the root before it', withItems({ $ref: '#/$defs/F', $defs: { F: {} } }, { $defs: { F: {} } }), '#/$defs/F'],
  ['by the own $id', withItems({ $ref: `${id}#/$defs/F` }, { $id: id, $defs: { F: {} } }), '#/$defs/F'],
  ['to the whole, by its own $id', withItems({ $ref: id }, { $id: `${id}#` }), '#'],
  ['relative to the own $id', withItems({ $ref: 'g' }, { $id: id, $defs: { G: { $id: 'g' } } }), '#/$defs/G'],
  ['by a name that is no URL', withItems({ $ref: 'Node' }, { $defs: { a: { $id: 'Node' } } }), '#/$defs/a'],
  ['by an anchor', withItems({ $ref: '#F' }, { $defs: { a: { $anchor: 'F' } } }), '#/$defs/a'],
  ['by an anchor of older drafts', withItems({ $ref: '#F' }, { definitions: { a: { $id: '#F' } } }), '#/definitions/a'],
  [
    'from a schema of its own $id',
    withItems({ $id: 'https://example.org/b', $ref: '#/$defs/F', $defs: { F: {} } }, { $defs: { F: {} } }),
    '#/properties/f/items/$defs/F',
  ],
  [
    'outside of all schemas',
    withItems({ $ref: '#/components/schemas/F' }, { components: { schemas: { F: {} } } }),
    '#/components/schemas/F',
  ],
  ['with escapes', withItems({ $ref: '#/$defs/a%20b~1c%25' }, { $defs: { 'a b/c%': {} } }), '#/$defs/a%20b~1c%25'],
])('a reference is found %s', (_, schema, expected) => {
  expect(targetOf(schema)).toBe(expected)
})

test('a definition that was moved is found where nobody insists on the schema', () => {
  const schema = withItems({ $ref: '#/components/schemas/F' }, { definitions: { F: {} } })
  expect(targetOf(schema, lenient)).toBe('#/definitions/F')
  expect(() => soundSchema(schema, strict)).toThrow(
    "at 'properties.f.items': $ref '#/components/schemas/F' leads to nothing",
  )
})

test.each<[JsonValue, string]>([
  [{ $ref: '#/$defs/F' }, "at 'properties.f.items': $ref '#/$defs/F' leads to nothing"],
  [{ $ref: '#/components/schemas/F' }, 'leads to nothing'],
  [{ $ref: '#F' }, 'leads to nothing'],
  [{ $ref: '#/%zz' }, 'leads to nothing'],
  [{ $ref: 'https://example.org/x' }, 'leads out of the schema'],
  [{ $ref: null }, "'$ref' must be a text"],
  [{ properties: null }, "at 'properties.f.items': 'properties' must be an object of schemas"],
  [{ properties: [] }, "'properties' must be an object of schemas"],
  [{ properties: { a: null } }, "at 'properties.f.items.properties.a': a schema must be an object or a boolean"],
  [null, "'items' must be a schema or an array of schemas"],
  [{ items: 'string' }, "'items' must be a schema"],
  [[null], "at 'properties.f.items[0]': a schema must be"],
  [{ required: null }, "'required' must be an array or true or false"],
  [{ enum: null }, "'enum' must be an array"],
  [{ type: null }, "'type' must be"],
  [{ type: {} }, "'type' must be"],
  [{ additionalProperties: null }, "'additionalProperties' must be a schema"],
  [{ additionalProperties: [] }, "'additionalProperties' must be a schema"],
  [{ anyOf: null }, "'anyOf' must be an array of schemas"],
  [{ oneOf: {} }, "'oneOf' must be an array of schemas"],
  [{ allOf: { a: {} } }, "'allOf' must be an array of schemas"],
  [{ anyOf: [{}, 'string'] }, "at 'properties.f.items.anyOf[1]': a schema must be"],
  [{ $defs: [] }, "'$defs' must be an object of schemas"],
  [{ patternProperties: [] }, "'patternProperties' must be"],
  [{ pattern: null }, "'pattern' must be a text"],
  [{ minLength: '3' }, "'minLength' must be a number"],
  [{ maximum: null }, "'maximum' must be a number"],
  [{ uniqueItems: 'yes' }, "'uniqueItems' must be true or false"],
  [{ nullable: 'yes' }, "'nullable' must be true or false"],
])('items %j are left to the model, or refused with the path when strict', async (items, problem) => {
  const schema = withItems(items)
  expect(() => soundSchema(schema, strict)).toThrow(problem)
  const tool = { ...schema, required: ['f'] }
  expect((await translated(tool, lenient)).required).toEqual(['f'])
  expect(await rejectionOf(translated(tool, strict))).toMatchObject({ code: 'invalid_schema', param: 'p' })
})

test.each<JsonObject>([
  { title: 5, description: null, format: null },
  { default: null, examples: 7, 'x-order': [] },
  { const: null },
  { type: 'number', minimum: 1, exclusiveMinimum: true },
  { items: [] },
  { allOf: [] },
])('%j is no reason to refuse', (schema) => {
  expect(soundSchema(schema, strict)).toBeObject()
})

test('notes that are no text are not shown to the model', () => {
  expect(soundSchema({ title: 5, description: null, type: 'string', format: 7 }, strict)).toEqual({ type: 'string' })
})

test('the original stays as it is', () => {
  const schema = withItems({ $ref: '#/none' })
  soundSchema(schema, lenient)
  expect(schema).toEqual(withItems({ $ref: '#/none' }))
})
