/**
 * JSON Schema keywords: their values, and whether answers keep to them. docs/reference/json-schemas.md is generated
 * from this table.
 */

export type ValueKind = 'schema' | 'schemas' | 'named schemas' | 'list' | 'number' | 'text' | 'flag' | 'any'

export type Treatment =
  | 'held'
  /** Error 400 with the path if the caller insists on the schema, else left to the model. */
  | 'refused'
  /** No constraint on values: shown to the model. */
  | 'note'
  /** Meaningless to a model. */
  | 'dropped'

interface KeywordRow {
  readonly keywords: readonly string[]
  /** Kinds of values that the keywords may have. */
  readonly values: readonly ValueKind[]
  readonly treatment: Treatment
  readonly remark: string
}

/** Returns a row. `keywords` are separated by spaces. */
function row(keywords: string, values: readonly ValueKind[], treatment: Treatment, remark = ''): KeywordRow {
  return { keywords: keywords.split(' '), values, treatment, remark }
}

export const keywordTable: readonly KeywordRow[] = [
  row('type', ['text', 'list'], 'held', 'one type or several, also in capitals'),
  row('enum', ['list'], 'held', 'values that other keywords rule out are left out'),
  row('const', ['any'], 'held'),
  row('nullable', ['flag'], 'held', 'as in OpenAPI'),
  row(
    'properties',
    ['named schemas'],
    'held',
    'up to 256 in an object, in this order; where further properties are allowed, none can be forbidden',
  ),
  row('required', ['list', 'flag'], 'held'),
  row('additionalProperties unevaluatedProperties', ['schema'], 'held'),
  row(
    'patternProperties',
    ['named schemas'],
    'held',
    'only one pattern that every name fits; others are treated as in the rows with 400',
  ),
  row(
    'minProperties',
    ['number'],
    'held',
    'up to the number of `required` properties; more is treated as in the rows with 400',
  ),
  row('items', ['schema', 'schemas'], 'held', 'a list of schemas is a tuple'),
  row('prefixItems', ['schemas'], 'held', 'a tuple of one length, up to 64'),
  row('additionalItems unevaluatedItems', ['schema'], 'held'),
  row(
    'minItems maxItems minLength maxLength',
    ['number'],
    'held',
    'of any size; with thousands of different limits the later ones may come out smaller',
  ),
  row(
    'pattern',
    ['text'],
    'held',
    'with look-ahead, and together with lengths and `format`; not held: references to groups, look-behind and word boundaries',
  ),
  row(
    'format',
    ['text'],
    'held',
    'the formats below, also beside a `pattern`; if no text fits both, the pattern counts. Other formats are notes',
  ),
  row('minimum maximum multipleOf', ['number'], 'held', 'see below'),
  row('exclusiveMinimum exclusiveMaximum', ['number', 'flag'], 'held', 'also as flags, as in draft 4'),
  row('anyOf oneOf', ['schemas'], 'held', 'at least one fits; `oneOf` is read as `anyOf`'),
  row(
    'allOf',
    ['schemas'],
    'held',
    'joined into one schema; of two choices, tuples, constants or steps the first counts (with strict: 400)',
  ),
  row(
    '$ref',
    ['text'],
    'held',
    'pointers (from the root, the nearest `$id` or any schema around), anchors and `$id`s of this schema; other references are treated as in the rows with 400. Keywords beside it hold too',
  ),
  row('$defs definitions', ['named schemas'], 'dropped', 'found anywhere'),
  row('$schema $id id $anchor $vocabulary encrypted', ['any'], 'dropped', 'not shown to the model'),
  row('uniqueItems', ['flag'], 'refused', '`false` has no effect'),
  row(
    'not if then else contains propertyNames',
    ['schema'],
    'refused',
    '`"propertyNames": {"type": "string"}` has no effect; a property `{"not": {}}` is forbidden',
  ),
  row('maxProperties minContains maxContains', ['number'], 'refused'),
  row('dependentRequired dependentSchemas dependencies $dynamicRef $recursiveRef $dynamicAnchor', ['any'], 'refused'),
  row('title description', ['text'], 'note'),
  row(
    'default example examples deprecated readOnly writeOnly contentEncoding contentMediaType contentSchema $comment discriminator externalDocs xml',
    ['any'],
    'note',
    'so are keywords that are not in this table',
  ),
]

/** Rows by keyword. */
export const keywordRows: ReadonlyMap<string, KeywordRow> = new Map(
  keywordTable.flatMap((row) => row.keywords.map((keyword) => [keyword, row] as const)),
)

/** Returns the keywords with one of these treatments. */
export function keywordsTreatedAs(...treatments: readonly Treatment[]): ReadonlySet<string> {
  return new Set([...keywordRows].flatMap(([keyword, row]) => (treatments.includes(row.treatment) ? [keyword] : [])))
}
