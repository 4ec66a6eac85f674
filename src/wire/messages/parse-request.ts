import { type Static, Type } from '@sinclair/typebox'
import type { ChatRequest } from '../../core/chat.ts'
import { type AnswerForm, fittingSchema, parseAnswerForm } from '../chat/answer-form.ts'
import { exampleData } from '../chat/read-image.ts'
import { parseRepetitionDetection, repetitionField } from '../chat/repetition-detection.ts'
import { stopStrings } from '../chat/stop-strings.ts'
import { limitOf, tokenLimit } from '../chat/token-limit.ts'
import { check, invalidValue, modelField, optionalAny, optionalFlag, presentFields } from '../check.ts'
import type { ChatCall } from '../dialect.ts'
import { limits } from '../limits.ts'
import { isEmptyList, refuseUnsupported, type UnsupportedFields } from '../unsupported.ts'
import { changedTools } from './changed-tools.ts'
import { parseMessages } from './parse-messages.ts'
import { parseThinking, type ThinkingDisplay } from './parse-thinking.ts'
import { parseTools } from './parse-tools.ts'

/** Value that some clients send for an unset setting */
const notGiven = -1

const exampleBlock = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: exampleData } }

/** Body fields that make up the prompt. Counting its tokens takes no others. */
export const PromptBody = Type.Object({
  ...modelField,
  messages: Type.Array(Type.Unknown(), {
    minItems: 1,
    maxItems: limits.messages.most,
    description: `an array of 1 to ${limits.messages.most} messages`,
    examples: [[{ role: 'user', content: [exampleBlock, { type: 'text', text: 'What is this?' }] }]],
  }),
  system: optionalAny,
  thinking: optionalAny,
  output_config: optionalAny,
  output_format: optionalAny,
  tools: Type.Optional(Type.Array(Type.Unknown(), { description: 'an array of tools' })),
  tool_choice: optionalAny,
  mcp_servers: Type.Optional(Type.Array(Type.Unknown(), { description: 'an array' })),
  thread: optionalAny,
})

export const MessagesBody = Type.Composite([
  PromptBody,
  Type.Object({
    max_tokens: tokenLimit,
    compaction: optionalAny,
    ...repetitionField,
    stream: optionalFlag,
    stop_sequences: Type.Optional(
      Type.Array(Type.String({ description: 'a string' }), {
        description: `an array of up to ${limits.stopStrings.most} strings`,
      }),
    ),
    temperature: Type.Optional(Type.Number({ minimum: 0, maximum: 2, description: 'a number from 0 to 2' })),
    top_p: Type.Optional(
      Type.Union([Type.Number({ minimum: 0, maximum: 1 }), Type.Literal(notGiven)], {
        description: 'a number from 0 to 1',
      }),
    ),
    top_k: Type.Optional(
      Type.Integer({ minimum: notGiven, maximum: 1_000_000, description: 'an integer from 0 to 1000000' }),
    ),
  }),
])

const OutputConfig = Type.Object({
  effort: Type.Optional(Type.String({ description: 'a string such as "low", "medium" or "high"' })),
  format: optionalAny,
})

const unsupportedInPrompts: UnsupportedFields = {
  mcp_servers: { words: '. Call the servers from the client.', isHarmless: isEmptyList },
  thread: { words: '. Nothing is kept between requests: send the whole conversation.', isHarmless: isEmptyList },
}
const unsupported: UnsupportedFields = {
  compaction: { words: '. Ask for a summary in a message.', isHarmless: isEmptyList },
}

/** A /messages body in canonical form. */
export interface MessagesCall extends ChatCall {
  readonly thinkingDisplay: ThinkingDisplay
}

/** Translates a whole body. Throws ApiError 400 whose `param` is the dotted path of the wrong field. */
export function parseMessagesCall(body: unknown): MessagesCall {
  const fields = presentFields(body)
  const message = check(MessagesBody, fields)
  refuseUnsupported(fields, unsupported)
  const { request, form, thinkingDisplay } = parsePrompt(message)
  return {
    model: message.model,
    stream: message.stream ?? false,
    thinkingDisplay,
    request: {
      ...request,
      ...parseAnswerForm(fields, 'output_config.format', form),
      sampling: {
        temperature: message.temperature,
        topP: given(message.top_p),
        topK: given(message.top_k),
      },
      stop: stopStrings(message.stop_sequences, 'stop_sequences'),
      maxTokens: limitOf(message.max_tokens),
      repetitionLimit: parseRepetitionDetection(message.repetition_detection),
    },
  }
}

/** Returns the request in a /messages/count_tokens body, without settings of the answer. Throws ApiError 400. */
export function parseCountedRequest(body: unknown): ChatRequest {
  return parsePrompt(check(PromptBody, presentFields(body))).request
}

interface ParsedPrompt {
  readonly request: ChatRequest
  readonly form: AnswerForm
  readonly thinkingDisplay: ThinkingDisplay
}

function parsePrompt(prompt: Static<typeof PromptBody>): ParsedPrompt {
  refuseUnsupported(prompt, unsupportedInPrompts)
  const config = check(OutputConfig, presentFields(prompt.output_config ?? {}, 'output_config'), 'output_config')
  const { reasoning, display } = parseThinking(prompt.thinking, config.effort)
  const messages = parseMessages(prompt.messages, prompt.system)
  const tools = parseTools(changedTools(prompt.tools ?? [], prompt.messages), prompt.tool_choice)
  const form =
    parseOutputFormat(config.format, 'output_config.format') ??
    parseOutputFormat(prompt.output_format, 'output_format') ??
    {}
  return {
    request: { messages, sampling: {}, stop: [], choices: 1, ...tools, ...form, reasoning },
    form,
    thinkingDisplay: display,
  }
}

function given(value: number | undefined): number | undefined {
  return value === notGiven ? undefined : value
}

const OutputFormat = Type.Object({
  type: Type.String({ description: '"json_schema"' }),
  schema: Type.Unknown({ description: 'a JSON Schema' }),
})

/** Returns the form of the answer; undefined without a format. Throws ApiError 400. */
function parseOutputFormat(format: unknown, path: string): AnswerForm | undefined {
  if (format === undefined) return undefined
  const { type, schema } = check(OutputFormat, presentFields(format, path), path)
  if (type !== 'json_schema') throw invalidValue(`${path}.type`, '"json_schema"')
  // This dialect has no `strict`: parts that an engine cannot enforce are left to the model, as libraries' schemas
  // need.
  return fittingSchema(schema, { path: `${path}.schema`, isStrict: false })
}
