import { type Static, Type } from '@sinclair/typebox'
import { parseAnswerForm } from '../chat/answer-form.ts'
import { parseReasoning, reasoningFields } from '../chat/parse-reasoning.ts'
import { parseSampling, samplingFields } from '../chat/parse-sampling.ts'
import { parseTemplateVariables } from '../chat/parse-template-variables.ts'
import { refuseBesideScores, scoreFields } from '../chat/prompt-scores.ts'
import { exampleUrl } from '../chat/read-image.ts'
import { parseRepetitionDetection, repetitionField } from '../chat/repetition-detection.ts'
import { stopField, stopStrings } from '../chat/stop-strings.ts'
import { anyTokenLimit, limitOf, requireTokens } from '../chat/token-limit.ts'
import { mayCallInParallel } from '../chat/tool-choice.ts'
import { check, invalidValue, modelField, optionalAny, optionalFlag, optionalInteger, presentFields } from '../check.ts'
import type { ChatCall } from '../dialect.ts'
import { limits } from '../limits.ts'
import { refuseUnsupported, type UnsupportedFields } from '../unsupported.ts'
import { parseFunctions } from './parse-functions.ts'
import { parseMessages } from './parse-messages.ts'
import { parseResponseFormat } from './parse-response-format.ts'
import { parseTools } from './parse-tools.ts'

const examplePart = { type: 'image_url', image_url: { url: exampleUrl, detail: 'auto' } }

/** vLLM's field for servers in front of this one, whose accounts share one account here. */
export const cacheSaltField = Type.Optional(
  Type.String({ minLength: 1, maxLength: 1024, description: 'a string of 1 to 1024 characters' }),
)

export const ChatBody = Type.Object({
  ...modelField,
  messages: Type.Array(Type.Unknown(), {
    minItems: 1,
    maxItems: limits.messages.most,
    description: `an array of 1 to ${limits.messages.most} messages`,
    examples: [[{ role: 'user', content: [{ type: 'text', text: 'What is this?' }, examplePart] }]],
  }),
  stream: optionalFlag,
  stream_options: optionalAny,
  max_tokens: anyTokenLimit,
  max_completion_tokens: anyTokenLimit,
  n: optionalInteger(1, limits.choices.most),
  ...samplingFields,
  ...reasoningFields,
  include_reasoning: optionalFlag,
  ...repetitionField,
  logprobs: optionalFlag,
  top_logprobs: optionalInteger(0, limits.alternatives.most),
  ...scoreFields,
  stop: stopField,
  tools: optionalAny,
  tool_choice: optionalAny,
  parallel_tool_calls: optionalFlag,
  functions: optionalAny,
  function_call: optionalAny,
  response_format: optionalAny,
  chat_template_kwargs: optionalAny,
  cache_salt: cacheSaltField,
})

const StreamOptions = Type.Object(
  { include_usage: optionalFlag, continuous_usage_stats: optionalFlag },
  { description: 'an object' },
)

const toSpeak = ': answers are text. Leave it out, and let POST /v1/audio/speech speak the answer.'

const unsupported: UnsupportedFields = {
  audio: { words: toSpeak },
  modalities: {
    words: toSpeak,
    isHarmless: (value) => Array.isArray(value) && value.every((modality) => modality === 'text'),
  },
  web_search_options: { words: ": chats do not search the web. Offer the model a function of yours in 'tools'." },
}

/** Body of chat/completions in canonical form. */
export interface ChatCompletionCall extends ChatCall {
  /** True to end a stream with a chunk of token counts. */
  readonly includeUsage: boolean
  /** Names of tools whose calls return their input as plain text. */
  readonly customTools: ReadonlySet<string>
  /** True to count reasoning without showing it. */
  readonly hidesReasoning: boolean
  /** True to show reasoning in OpenRouter's fields too. */
  readonly hasReasoningDetails: boolean
  /** True if tools were sent as `functions`. Calls are then returned as `function_call`. */
  readonly hasFunctions: boolean
}

/** Translates a whole body. Throws ApiError 400 whose `param` is the dotted path of the invalid field. */
export function parseChatCompletion(body: unknown): ChatCompletionCall {
  const fields = presentFields(body)
  const chat = check(ChatBody, fields)
  refuseUnsupported(fields, unsupported)
  const promptScores = chat.prompt_logprobs
  if (promptScores !== undefined) refuseBesideScores("'prompt_logprobs'", chat)
  requireTokens('max_tokens', chat.max_tokens, promptScores !== undefined)
  requireTokens('max_completion_tokens', chat.max_completion_tokens, promptScores !== undefined)
  const functions = parseFunctions(fields)
  const { tools, toolChoice, customNames } = functions ?? parseTools(fields)
  const { variables, thinking } = parseTemplateVariables(fields.chat_template_kwargs)
  const { reasoning, isHidden } = parseReasoning(chat, thinking)
  const responseFormat = parseResponseFormat(fields.response_format)
  const streamOptions = parseStreamOptions(chat.stream_options)
  return {
    model: chat.model,
    stream: chat.stream ?? false,
    includeUsage: streamOptions.includesUsage,
    customTools: customNames,
    hidesReasoning: isHidden || chat.include_reasoning === false,
    hasReasoningDetails: chat.reasoning !== undefined || chat.include_reasoning === true,
    hasFunctions: functions !== undefined,
    request: {
      messages: parseMessages(chat.messages),
      sampling: parseSampling(chat),
      stop: stopStrings(chat.stop),
      maxTokens: limitOf(chat.max_completion_tokens ?? chat.max_tokens),
      repetitionLimit: parseRepetitionDetection(chat.repetition_detection),
      choices: chat.n ?? 1,
      topLogprobs: parseTopLogprobs(chat),
      ...(promptScores !== undefined && { promptScores, namesPromptTokens: true }),
      ...(chat.return_tokens_as_token_ids === true && { reportsTokenIds: true }),
      ...(streamOptions.countsTokens && { countsTokens: true }),
      ...(chat.cache_salt !== undefined && { cacheSalt: chat.cache_salt }),
      tools,
      toolChoice,
      parallelToolCalls: functions === undefined && mayCallInParallel(fields.tool_choice, chat.parallel_tool_calls),
      ...parseAnswerForm(fields, 'response_format', responseFormat),
      reasoning,
      ...(variables === undefined ? {} : { templateVariables: variables }),
    },
  }
}

/** Reads `stream_options`. `countsTokens` puts running counts into each chunk. Throws ApiError 400. */
export function parseStreamOptions(options: unknown): {
  readonly includesUsage: boolean
  readonly countsTokens: boolean
} {
  if (options === undefined) return { includesUsage: false, countsTokens: false }
  const fields = check(StreamOptions, presentFields(options, 'stream_options'), 'stream_options')
  const includesUsage = fields.include_usage ?? false
  return { includesUsage, countsTokens: includesUsage && fields.continuous_usage_stats === true }
}

function parseTopLogprobs(chat: Static<typeof ChatBody>): number | undefined {
  if (chat.logprobs === true) return chat.top_logprobs ?? 0
  if (chat.top_logprobs !== undefined) throw invalidValue('top_logprobs', 'left out unless "logprobs" is true')
  return undefined
}
