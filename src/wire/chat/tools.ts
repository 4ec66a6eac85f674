/** Parsing of tools that all dialects share. */
import { Type } from '@sinclair/typebox'
import type { SchemaOrigin, Tool } from '../../core/chat.ts'
import { ApiError } from '../../core/errors.ts'
import { isObject } from '../../core/json.ts'
import { check, invalidValue, missing, optionalFlag, optionalText, presentFields } from '../check.ts'
import { limits } from '../limits.ts'
import { checkSchema } from './check-schema.ts'

export const maxTools = limits.tools.most
const maxCharacters = limits.toolCharacters.most

export interface PlacedTool {
  readonly tool: Tool
  /** Dotted place in the body of the object that has the tool's name. */
  readonly path: string
}

/** Throws ApiError 400 if all tools together are too long. Call it before reading any of them. */
export function requireToolSize(tools: unknown, path = 'tools'): void {
  if ((JSON.stringify(tools) ?? '').length > maxCharacters) {
    throw invalidValue(path, `an array of at most ${maxCharacters} characters`)
  }
}

/** Throws ApiError 400 for too many tools. Call it before reading any of them. */
export function requireToolCount(count: number, path = 'tools'): void {
  if (count > maxTools) throw invalidValue(path, `an array of at most ${maxTools} tools`)
}

/** Returns the tools of a request. Throws ApiError 400 if two have the same name. */
export function collectTools(placed: readonly PlacedTool[]): Tool[] {
  const names = new Set<string>()
  for (const { tool, path } of placed) {
    if (names.has(tool.name)) {
      throw new ApiError('invalid_request', `'${path}.name' is '${tool.name}', which another tool has already.`, {
        code: 'tool_name_conflict',
        param: `${path}.name`,
      })
    }
    names.add(tool.name)
  }
  return placed.map(({ tool }) => tool)
}

const maxNameLength = 256
const expectedName = `a string of 1 to ${maxNameLength} letters, digits, dots, dashes and underscores`

/**
 * Parses a tool's name. Throws ApiError 400 if it is missing or has characters that models and clients cannot handle.
 */
function parseName(name: unknown, path: string): string {
  const param = `${path}.name`
  if (name === undefined) throw missing(param, expectedName)
  if (typeof name !== 'string' || name.length > maxNameLength || !/^[a-zA-Z0-9_.-]+$/.test(name)) {
    throw invalidValue(param, expectedName)
  }
  return name
}

const FunctionDetails = Type.Object({
  description: optionalText,
  strict: optionalFlag,
})

/**
 * Returns a function that the model may call. `fields` are common to all dialects, without nulls: `name`,
 * `description`, `strict` and, under the name `schemaField`, the parameters. `path` is their dotted path in the body.
 * Throws ApiError 400.
 */
export function functionTool(
  fields: Readonly<Record<string, unknown>>,
  path: string,
  schemaField = 'parameters',
): Tool {
  const name = parseName(fields.name, path)
  const { description, strict: isStrict = false } = check(FunctionDetails, fields, path)
  const parameters = parseParameters(fields[schemaField], { path: `${path}.${schemaField}`, isStrict })
  return { name, ...(description === undefined ? {} : { description: description.toWellFormed() }), ...parameters }
}

function parseParameters(value: unknown, origin: SchemaOrigin): Pick<Tool, 'parameters' | 'parametersOrigin'> {
  if (value === undefined || value === null) return noParameters
  const isNothing = typeof value === 'object' && Object.keys(value).length === 0
  // PHP writes an object without members as a list.
  if (isNothing && (isObject(value) || !origin.isStrict)) return noParameters
  return { parameters: checkSchema(value, origin), parametersOrigin: origin }
}

const noParameters = { parameters: { type: 'object', properties: {} } } as const

const CustomDetails = Type.Object({
  description: optionalText,
  format: Type.Optional(Type.Object({}, { description: 'an object' })),
})

/**
 * Returns a tool that takes plain text as a function with the one argument `input`, because models know no others.
 * `fields` are without nulls; `path` is their dotted path in the body. Throws ApiError 400.
 */
export function customTool(fields: Readonly<Record<string, unknown>>, path: string): Tool {
  const name = parseName(fields.name, path)
  const { description, format } = check(CustomDetails, fields, path)
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

/** Returns the note on a custom tool's grammar for the model. The answer is not held to it. */
function grammarOf(format: object | undefined): string {
  if (format === undefined) return ''
  const fields: Record<string, unknown> = presentFields(format)
  const { syntax, definition } = typeof fields.grammar === 'object' ? presentFields(fields.grammar) : fields
  if (typeof definition !== 'string' || definition === '') return ''
  const kind = syntax === 'regex' ? 'regular expression' : 'grammar'
  return `The input must fit this ${kind}:\n${definition.toWellFormed()}`
}
