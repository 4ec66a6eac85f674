import { Type } from '@sinclair/typebox'
import { parseToolChoice } from '../chat/tool-choice.ts'
import { collectTools, functionTool, type PlacedTool, requireToolCount, requireToolSize } from '../chat/tools.ts'
import { check, invalidValue, optionalAny, presentFields } from '../check.ts'
import { answerFields, type OllamaCall, parseAnswerFields } from './answer-fields.ts'
import { parseMessages } from './parse-messages.ts'

export const OllamaChatBody = Type.Object({
  ...answerFields,
  messages: Type.Optional(
    Type.Array(Type.Unknown(), {
      description: 'an array of messages',
      examples: [[{ role: 'user', content: 'Why is the sky blue?' }]],
    }),
  ),
  tools: optionalAny,
  tool_choice: optionalAny,
})

/** Translates a whole body. Throws ApiError 400 whose `param` is the dotted path of the wrong field. */
export function parseOllamaChat(body: unknown): OllamaCall {
  const fields = presentFields(body)
  const chat = check(OllamaChatBody, fields)
  const { request, ...call } = parseAnswerFields(chat)
  const messages = parseMessages(chat.messages ?? [])
  const tools = parseTools(chat.tools)
  return {
    ...call,
    isEmpty: messages.length === 0,
    request: { ...request, messages, tools, toolChoice: parseToolChoice(chat.tool_choice, tools) },
  }
}

function parseTools(value: unknown) {
  if (value === undefined) return []
  if (!Array.isArray(value)) throw invalidValue('tools', 'an array of tools')
  requireToolCount(value.length)
  requireToolSize(value)
  return collectTools(value.map((tool, index) => parseTool(tool, `tools[${index}]`)))
}

function parseTool(value: unknown, path: string): PlacedTool {
  const { type = 'function', function: definition } = presentFields(value, path)
  if (type !== 'function') throw invalidValue(`${path}.type`, '"function"')
  const inner = `${path}.function`
  const fields = presentFields(definition ?? {}, inner)
  // A schema with nothing but its language is no constraint.
  const isBare = isOnlyLanguage(fields.parameters)
  return { tool: functionTool(isBare ? { ...fields, parameters: {} } : fields, inner), path: inner }
}

function isOnlyLanguage(schema: unknown): boolean {
  if (typeof schema !== 'object' || schema === null || !('$schema' in schema)) return false
  let count = 0
  for (const _ in schema) if (++count > 1) return false
  return true
}
