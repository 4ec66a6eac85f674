/** JSON Schema keywords: their values, and whether answers keep to them. docs/compatibility.md shows the same table. */

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
  { keywords: ['type'], values: ['text', 'list'], treatment: 'held', remark: 'one or several, also in capitals' },
  {
    keywords: ['enum'],
    values: ['list'],
    treatment: 'held',
    remark: 'values that what stands beside it rules out are left out',
  },
  { keywords: ['const'], values: ['any'], treatment: 'held', remark: '' },
  { keywords: ['nullable'], values: ['flag'], treatment: 'held', remark: 'as in OpenAPI' },
  {
    keywords: ['properties'],
    values: ['named schemas'],
    treatment: 'held',
    remark: 'up to 256 in an object, in this order. Where further properties are allowed, none can be forbidden',
  },
  { keywords: ['required'], values: ['list', 'flag'], treatment: 'held', remark: '' },
  { keywords: ['additionalProperties', 'unevaluatedProperties'], values: ['schema'], treatment: 'held', remark: '' },
  {
    keywords: ['patternProperties'],
    values: ['named schemas'],
    treatment: 'held',
    remark: 'one pattern that every name fits; others are refused, or left to the model',
  },
  {
    keywords: ['minProperties'],
    values: ['number'],
    treatment: 'held',
    remark: 'up to the number of `required` properties; more is refused, or left to the model',
  },
  { keywords: ['items'], values: ['schema', 'schemas'], treatment: 'held', remark: 'a list is a tuple' },
  {
    keywords: ['prefixItems'],
    values: ['schemas'],
    treatment: 'held',
    remark: 'a tuple of one length, up to 64: as many as are named, or as must be',
  },
  { keywords: ['additionalItems', 'unevaluatedItems'], values: ['schema'], treatment: 'held', remark: '' },
  {
    keywords: ['minItems', 'maxItems', 'minLength', 'maxLength'],
    values: ['number'],
    treatment: 'held',
    remark: 'of any size; where thousands of them differ, the later ones may come out smaller',
  },
  {
    keywords: ['pattern'],
    values: ['text'],
    treatment: 'held',
    remark:
      'with what it looks ahead at, and with the lengths and the format beside it, but for references to groups, what it looks back at and edges of words',
  },
  {
    keywords: ['format'],
    values: ['text'],
    treatment: 'held',
    remark:
      'those named below, also beside a pattern; if no text fits both the pattern counts. Others are notes for the model',
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
    remark: 'one that fits; of `oneOf` more may',
  },
  {
    keywords: ['allOf'],
    values: ['schemas'],
    treatment: 'held',
    remark:
      'joined into one; two choices, tuples, constants or steps cannot be: then the first counts, strict it is refused',
  },
  {
    keywords: ['$ref'],
    values: ['text'],
    treatment: 'held',
    remark:
      'pointers from the root, from the schema with the nearest `$id` or from any schema around; anchors; `$id`s of the schema. What leads elsewhere is refused, or left to the model. Keywords beside it hold too',
  },
  {
    keywords: ['$defs', 'definitions'],
    values: ['named schemas'],
    treatment: 'dropped',
    remark: 'found wherever they stand',
  },
  {
    keywords: ['$schema', '$id', 'id', '$anchor', '$vocabulary', 'encrypted'],
    values: ['any'],
    treatment: 'dropped',
    remark: 'not shown to the model',
  },
  { keywords: ['uniqueItems'], values: ['flag'], treatment: 'refused', remark: '`false` says nothing' },
  {
    keywords: ['not', 'if', 'then', 'else', 'contains', 'propertyNames'],
    values: ['schema'],
    treatment: 'refused',
    remark: '`"propertyNames": {"type": "string"}` says nothing; a property `{"not": {}}` is a forbidden one',
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
