import { keywordTable, type Treatment } from './keyword-table.ts'

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
    'a wrong note is left out in both',
  ],
  ['an unknown `type`, an empty `enum` or `anyOf`', '400', 'left to the model', ''],
  ['limits that no value fits', '400', 'left to the model', ''],
  ['a `$ref` that leads to nothing, out of the schema, or only to itself', '400', 'left to the model', ''],
  ['a `pattern` and a `format`', 'held', 'held', 'both where both can be, else the one that can'],
  [
    'more than 256 properties in one object, more than 5,000 schemas, 200 levels with references',
    '400',
    'the upper levels are held',
    'also more than 1,000 ways in which a value may begin, or 60,000 rules, and ways within them, for texts',
  ],
]

/** Returns the table of docs/compatibility.md, in Markdown. */
export function keywordDocs(): string {
  const rows = keywordTable.map(({ keywords, treatment, remark }) => {
    return [keywords.map((keyword) => `\`${keyword}\``).join(', '), ...columns[treatment], remark]
  })
  const lines = [['Keyword', 'strict', 'else', ''], ['---', '---', '---', '---'], ...rows, ...combinations]
  return lines.map((cells) => `| ${cells.join(' | ')} |`.replaceAll('  ', ' ')).join('\n')
}
