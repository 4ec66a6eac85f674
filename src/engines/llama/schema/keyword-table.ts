/** JSON Schema keywords: their values, and whether answers keep to them. docs/reference/json-schemas.md is made of it. */

export type ValueKind = 'schema' | 'schemas' | 'named schemas' | 'list' | 'number' | 'text' | 'flag' | 'any'

export type Treatment =
  | 'held'
  /** 400 with the path where the caller insists on it, else left to the model. */
  | 'refused'
  /** Says nothing about values: shown to the model. */
  | 'note'
  /** Says nothing to a model. */
  | 'dropped'

export interface KeywordRow {
  readonly keywords: readonly string[]
  /** Kinds of values that the keywords may have. */
  readonly values: readonly ValueKind[]
  readonly treatment: Treatment
  readonly remark: string
}

export const keywordTable: readonly KeywordRow[] = [
  { keywords: ['type'], values: ['text', 'list'], treatment: 'held', remark: 'one type or several, also in capitals' },
  {
    keywords: ['enum'],
    values: ['list'],
    treatment: 'held',
    remark: 'values that other keywords rule out are left out',
  },
  { keywords: ['const'], values: ['any'], treatment: 'held', remark: '' },
  { keywords: ['nullable'], values: ['flag'], treatment: 'held', remark: 'as in OpenAPI' },
  {
    keywords: ['properties'],
    values: ['named schemas'],
    treatment: 'held',
    remark: 'up to 256 in an object, in this order; where further properties are allowed, none can be forbidden',
  },
  { keywords: ['required'], values: ['list', 'flag'], treatment: 'held', remark: '' },
  { keywords: ['additionalProperties', 'unevaluatedProperties'], values: ['schema'], treatment: 'held', remark: '' },
  {
    keywords: ['patternProperties'],
    values: ['named schemas'],
    treatment: 'held',
    remark: 'only one pattern that every name fits; others are treated as in the rows with 400',
  },
  {
    keywords: ['minProperties'],
    values: ['number'],
    treatment: 'held',
    remark: 'up to the number of `required` properties; more is treated as in the rows with 400',
  },
  { keywords: ['items'], values: ['schema', 'schemas'], treatment: 'held', remark: 'a list of schemas is a tuple' },
  {
    keywords: ['prefixItems'],
    values: ['schemas'],
    treatment: 'held',
    remark: 'a tuple of one length, up to 64',
  },
  { keywords: ['additionalItems', 'unevaluatedItems'], values: ['schema'], treatment: 'held', remark: '' },
  {
    keywords: ['minItems', 'maxItems', 'minLength', 'maxLength'],
    values: ['number'],
    treatment: 'held',
    remark: 'of any size; with thousands of different limits the later ones may come out smaller',
  },
  {
    keywords: ['pattern'],
    values: ['text'],
    treatment: 'held',
    remark:
      'with look-ahead, and together with lengths and `format`; not held: references to groups, look-behind and word boundaries',
  },
  {
    keywords: ['format'],
    values: ['text'],
    treatment: 'held',
    remark:
      'the formats below, also beside a `pattern`; if no text fits both, the pattern counts. Other formats are notes',
  },
  {
    keywords: ['minimum', 'maximum', 'multipleOf'],
    values: ['number'],
    treatment: 'held',
    remark: 'see below',
  },
  {
    keywords: ['exclusiveMinimum', 'exclusiveMaximum'],
    values: ['number', 'flag'],
    treatment: 'held',
    remark: 'also as flags, as in draft 4',
  },
  {
    keywords: ['anyOf', 'oneOf'],
    values: ['schemas'],
    treatment: 'held',
    remark: 'at least one fits; `oneOf` is read as `anyOf`',
  },
  {
    keywords: ['allOf'],
    values: ['schemas'],
    treatment: 'held',
    remark: 'joined into one schema; of two choices, tuples, constants or steps the first counts (with strict: 400)',
  },
  {
    keywords: ['$ref'],
    values: ['text'],
    treatment: 'held',
    remark:
      'pointers (from the root, the nearest `$id` or any schema around), anchors and `$id`s of this schema; other references are treated as in the rows with 400. Keywords beside it hold too',
  },
  {
    keywords: ['$defs', 'definitions'],
    values: ['named schemas'],
    treatment: 'dropped',
    remark: 'found anywhere',
  },
  {
    keywords: ['$schema', '$id', 'id', '$anchor', '$vocabulary', 'encrypted'],
    values: ['any'],
    treatment: 'dropped',
    remark: 'not shown to the model',
  },
  { keywords: ['uniqueItems'], values: ['flag'], treatment: 'refused', remark: '`false` has no effect' },
  {
    keywords: ['not', 'if', 'then', 'else', 'contains', 'propertyNames'],
    values: ['schema'],
    treatment: 'refused',
    remark: '`"propertyNames": {"type": "string"}` has no effect; a property `{"not": {}}` is forbidden',
  },
  { keywords: ['maxProperties', 'minContains', 'maxContains'], values: ['number'], treatment: 'refused', remark: '' },
  {
    keywords: [
      'dependentRequired',
      'dependentSchemas',
      'dependencies',
      '$dynamicRef',
      '$recursiveRef',
      '$dynamicAnchor',
    ],
    values: ['any'],
    treatment: 'refused',
    remark: '',
  },
  {
    keywords: ['title', 'description'],
    values: ['text'],
    treatment: 'note',
    remark: '',
  },
  {
    keywords: [
      ...[
        'default',
        'example',
        'examples',
        'deprecated',
        'readOnly',
        'writeOnly',
        'contentEncoding',
        'contentMediaType',
      ],
      ...['contentSchema', '$comment', 'discriminator', 'externalDocs', 'xml'],
    ],
    values: ['any'],
    treatment: 'note',
    remark: 'so are keywords that are not in this table',
  },
]

/** Rows by keyword. */
export const keywordRows: ReadonlyMap<string, KeywordRow> = new Map(
  keywordTable.flatMap((row) => row.keywords.map((keyword) => [keyword, row] as const)),
)

/** Returns the keywords that are treated so. */
export function keywordsTreatedAs(...treatments: readonly Treatment[]): ReadonlySet<string> {
  return new Set([...keywordRows].flatMap(([keyword, row]) => (treatments.includes(row.treatment) ? [keyword] : [])))
}
