import type { TSchema } from '@sinclair/typebox'
import type { FieldRow } from '../../src/testing/compatibility/rows/row.ts'
import { chapters } from '../../src/testing/compatibility/tables.ts'
import { dialects } from '../../src/wire/dialects.ts'
import { asSentence, code, markdownTable, wrapped } from './markdown.ts'

type Properties = Readonly<Record<string, TSchema>>

/** Returns docs/reference/fields.md: the rows of src/testing/compatibility/rows, with values from the schemas of the parsers. */
export function fieldsPage(): string {
  const sections = Object.entries(chapters).map(([dialect, { sentence, tables }]) => {
    const parts = Object.entries(tables).map(
      ([heading, rows]) => `### ${heading}\n\n${tableOf(dialect, heading, rows)}`,
    )
    return `## ${dialect}\n\n${wrapped(sentence)}\n\n${parts.join('\n\n')}\n`
  })
  return `# Fields of requests

Each field of each format, and what happens to it. Fields in no table are ignored; \`null\` is the same as leaving a field out.

| Word | Meaning |
|---|---|
| supported | does what the documentation of the format says |
| ignored | accepted, and changes nothing about the answer |
| refused | 400 with the field's name in \`param\`: without the field the answer would be another one than was asked for |

Rules that hold for all formats: [compatibility.md](../compatibility.md). Counted limits: [limits.md](limits.md).

${sections.join('\n')}`
}

function tableOf(dialect: string, heading: string, rows: readonly FieldRow[]): string {
  if (heading !== 'Request fields') {
    const head = heading === 'Messages' ? 'Field' : heading === 'Options' ? 'Option' : 'Type'
    return markdownTable(
      [head, 'Treatment', 'Details'],
      rows.map((row) => cellsOf(row.names, row)),
    )
  }
  const properties: Properties =
    Object.values(dialects).find(({ endpoint }) => endpoint === dialect)?.body?.properties ?? {}
  const cells = rows.flatMap((row) =>
    groupsOf(row.names, properties).map(([value, names]) => {
      const [field = '', treatment = '', details = ''] = cellsOf(names, row)
      return [field, treatment, value, details]
    }),
  )
  return markdownTable(['Field', 'Treatment', 'Value', 'Details'], cells)
}

function cellsOf(names: readonly string[], { verdict, remark }: FieldRow): string[] {
  return [names.map(code).join(', '), verdict, asSentence(remark)]
}

/** Returns the names by the values that the parser accepts, in order. */
function groupsOf(names: readonly string[], properties: Properties): [value: string, names: string[]][] {
  const groups = new Map<string, string[]>()
  for (const name of names) {
    const value = allowedBy(properties[name])
    groups.set(value, [...(groups.get(value) ?? []), name])
  }
  return [...groups]
}

/** Returns the end of the parser's sentence "must be …"; empty if later checks decide. */
function allowedBy(schema: TSchema | undefined): string {
  return String(schema?.description ?? '').replace(/; GET \/models lists them$/, '')
}
