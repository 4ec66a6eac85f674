import { type ExampleSections, fields } from './example.ts'

/** Examples for all rows of moderations in docs/reference/fields.md. */
export const moderationsSections: ExampleSections = {
  'moderations: Request fields': {
    dialect: 'moderations',
    examples: fields({ model: 'org/other', input: ['a', 'b'] }),
  },
}
