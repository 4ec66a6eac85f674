import { Type } from '@sinclair/typebox'
import type { Tool } from '../../core/chat.ts'
import { check, presentFields } from '../check.ts'
import { parseToolName } from './tool-name.ts'

const Details = Type.Object({
  description: Type.Optional(Type.String({ description: 'a string' })),
  format: Type.Optional(Type.Object({}, { description: 'an object' })),
})

/**
 * A tool that takes plain text, as a function with the one argument `input`: models know no others. `fields` are without
 * nulls; `path` is their dotted place in the body. Throws ApiError 400.
 */
export function customTool(fields: Readonly<Record<string, unknown>>, path: string): Tool {
  const name = parseToolName(fields.name, path)
  const { description, format } = check(Details, fields, path)
  const sentences = [description?.toWellFormed() ?? '', rawText, grammarOf(format)]
  return {
    name,
    description: sentences.filter((sentence) => sentence !== '').join('\n\n'),
    parameters: {
      type: 'object',
      properties: { input: { type: 'string', description: 'The whole input, as plain text.' } },
      required: ['input'],
      additionalProperties: false,
    },
  }
}

const rawText = 'This tool takes raw text: put all of it into `input`, as it is, not as JSON and not in quotes.'

/** An answer is not held to the grammar of a custom tool; the model is told of it. */
function grammarOf(format: object | undefined): string {
  if (format === undefined) return ''
  const fields: Record<string, unknown> = presentFields(format)
  const { syntax, definition } = typeof fields.grammar === 'object' ? presentFields(fields.grammar) : fields
  if (typeof definition !== 'string' || definition === '') return ''
  const kind = syntax === 'regex' ? 'regular expression' : 'grammar'
  return `The input must fit this ${kind}:\n${definition.toWellFormed()}`
}
