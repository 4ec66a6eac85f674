import { keywordTable, type Treatment } from '../../src/engines/llama/schema/keyword-table.ts'
import { code, markdownTable } from './markdown.ts'

const columns: Readonly<Record<Treatment, readonly [strict: string, otherwise: string]>> = {
  held: ['held', 'held'],
  refused: ['400', 'left to the model'],
  note: ['a note', 'a note'],
  dropped: ['taken', 'taken'],
}

/** Combinations and faults that no single keyword stands for. */
const combinations: readonly (readonly [what: string, strict: string, otherwise: string, remark: string])[] = [
  [
    'a value of a wrong type, as `"properties": null` or `"enum": "a"`',
    '400',
    'left to the model',
    'a note of a wrong type is left out',
  ],
  ['an unknown `type`, an empty `enum` or `anyOf`', '400', 'left to the model', ''],
  ['limits that no value fits', '400', 'left to the model', ''],
  ['a `$ref` that leads to nothing, out of the schema, or only to itself', '400', 'left to the model', ''],
  ['a `pattern` and a `format`', 'held', 'held', 'both if both can be held, otherwise the one that can'],
  [
    'more than 256 properties in one object, more than 5,000 schemas, 200 levels with references',
    '400',
    'the upper levels are held',
    'the same beyond 1,000 ways in which a value may begin, and beyond 60,000 rules for texts',
  ],
]

/** Returns docs/reference/json-schemas.md: the table of src/engines/llama/schema/keyword-table.ts. */
export function schemasPage(): string {
  const rows = keywordTable.map(({ keywords, treatment, remark }) => [
    keywords.map(code).join(', '),
    ...columns[treatment],
    remark,
  ])
  return `# JSON schemas

An answer with a schema, and a call of a tool, is held to its schema by a grammar while it is written. The columns say what happens to a
keyword with \`strict: true\` and without it.

| Word | Meaning |
|---|---|
| held | every answer keeps to it |
| 400 | the request is refused with \`invalid_schema\`, which names the keyword and its place |
| left to the model | the model sees the keyword, and may break it |
| a note | the model sees it; nothing is enforced |
| taken | read, and not shown to the model |

${markdownTable(['Keyword', 'With strict', 'Without', 'Details'], [...rows, ...combinations])}

An answer may have fewer values to choose from than the schema allows, never others:

- Numbers with bounds or \`multipleOf\` (a whole number up to 100, or one times a power of ten, such as 0.25, 0.01 or 1000) have no
  exponent and at most 15 digits. Multiples of fractions are decimal: 0.07 is a multiple of 0.01.
- These formats are held, in their plain forms: \`date\`, \`time\`, \`date-time\` (years from 1000 on), \`duration\`, \`email\` and
  \`hostname\` (up to 60 characters), \`ipv4\`, \`ipv6\`, \`uuid\`.
- Texts with a pattern and a large \`maxLength\` may end earlier, after about a thousand characters.
- Strings that a model's own call syntax writes without quotes are not held to patterns and formats.
`
}
