import fc from 'fast-check'

const names = fc.constantFrom('a', 'b', 'a b', 'root', 'value', 'é"\\', '$x', '__proto__', '', 'space', 'ref-x', 'a-b')
const counts = fc.oneof(fc.nat(5), fc.constantFrom(-1, 1.5, 1000, 1001, 5e9, 1e300))
const numbers = fc.oneof(
  fc.integer({ min: -2000, max: 2000 }),
  fc.constantFrom(0.5, -0.5, 1e15, -1e15, 9e15, 9007199254740991, -9007199254740992, 1e300),
)
const patterns = fc.oneof(
  fc.constantFrom(
    '^a+$',
    'b',
    '^$',
    '\\d{2,5}x',
    '^(a|b)*c?$',
    '(',
    '\\p{L}',
    '^.*$',
    '["\\\\]',
    '^(?=x)',
    '[^\\w]{3}',
    '^[^"]{900}$',
  ),
  fc.string({ maxLength: 6 }),
)
const types = fc.constantFrom('object', 'array', 'string', 'integer', 'number', 'boolean', 'null')
const values = fc.oneof(fc.jsonValue({ maxDepth: 1 }), fc.constantFrom('x', 1, null, true))
const references = fc.constantFrom(
  '#anchor',
  'https://example.org/schemas/a#/x',
  '#/components/schemas/d0',
  '#',
  '#/$defs/d0',
  '#/$defs/d1',
  '#/definitions/x~1y',
  '#/properties/a',
  '#/$defs/none',
)

/** Schemas with keywords in wrong combinations, with wrong values, and nested. About half of them are accepted. */
const messySchema = fc.letrec<{ schema: unknown; object: Record<string, unknown> }>((tie) => ({
  object: fc.record(
    {
      type: fc.oneof({ weight: 6, arbitrary: types }, fc.array(types, { maxLength: 3 }), fc.constant('file')),
      nullable: fc.boolean(),
      enum: fc.array(values, { maxLength: 3 }),
      const: values,
      properties: fc.dictionary(names, tie('schema'), { maxKeys: 4 }),
      required: fc.array(names, { maxLength: 3 }),
      additionalProperties: fc.oneof(fc.boolean(), tie('schema')),
      patternProperties: fc.dictionary(patterns, tie('schema'), { maxKeys: 2 }),
      items: fc.oneof(tie('schema'), fc.array(tie('schema'), { maxLength: 3 })),
      prefixItems: fc.array(tie('schema'), { maxLength: 3 }),
      minItems: counts,
      maxItems: counts,
      minLength: counts,
      maxLength: counts,
      pattern: patterns,
      format: fc.constantFrom('date', 'time', 'date-time', 'uuid', 'uri', 'email'),
      minimum: numbers,
      maximum: numbers,
      exclusiveMinimum: fc.oneof(numbers, fc.boolean()),
      exclusiveMaximum: fc.oneof(numbers, fc.boolean()),
      anyOf: fc.array(tie('schema'), { maxLength: 3 }),
      oneOf: fc.array(tie('schema'), { maxLength: 3 }),
      allOf: fc.array(tie('schema'), { maxLength: 3 }),
      not: tie('schema'),
      $ref: references,
      uniqueItems: fc.boolean(),
      propertyNames: tie('schema'),
      minProperties: counts,
      if: tie('schema'),
      contains: tie('schema'),
      dependentRequired: fc.constant({ a: ['b'] }),
      unevaluatedProperties: tie('schema'),
      unevaluatedItems: tie('schema'),
      $id: fc.constantFrom('https://example.org/schemas/a', '#anchor', 'a'),
      description: fc.string({ maxLength: 5, unit: 'binary' }),
    },
    { requiredKeys: [] },
  ) as fc.Arbitrary<Record<string, unknown>>,
  schema: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc.oneof(
      fc.boolean(),
      types.map((type) => ({ type })),
      references.map(($ref) => ({ $ref })),
    ),
    { weight: 6, arbitrary: tie('object').map((object) => pick(object)) },
  ),
}))

/** Returns a few of the keywords: no value would satisfy all of them together. */
function pick(object: Record<string, unknown>): Record<string, unknown> {
  const entries = Object.entries(object)
  const keep = new Set(entries.map((_, index) => (index * 7 + entries.length) % 5 < 2))
  return keep.size === 0
    ? object
    : Object.fromEntries(entries.filter((_, index) => (index * 7 + entries.length) % 5 < 2))
}

/** Wrong values of keywords. */
const wrongValues = fc.constantFrom<unknown>(null, [], {}, '', 0, 'x', [null], { a: null }, true)
const wrongKeywords = fc.dictionary(
  fc.constantFrom(
    ...['type', 'properties', 'items', 'required', 'enum', 'anyOf', 'allOf', 'additionalProperties', '$ref', '$defs'],
    ...['definitions', 'pattern', 'minLength', 'maximum', 'description', 'prefixItems', 'format', 'nullable', 'not'],
  ),
  wrongValues,
  { maxKeys: 2 },
)

/** Whole documents: a messy schema with the definitions that its references may name. */
export const messyDocument = fc
  .record({
    root: messySchema.schema,
    ...{ d0: messySchema.schema, d1: messySchema.schema, xy: messySchema.schema },
    wrong: fc.oneof(fc.constant({}), wrongKeywords),
  })
  .map(({ root, d0, d1, xy, wrong }) => ({
    ...(typeof root === 'object' && root !== null ? root : {}),
    $defs: { d0, d1: typeof d1 === 'object' && d1 !== null ? { ...d1, ...wrong } : wrong },
    definitions: { 'x/y': xy },
    ...wrong,
  }))
