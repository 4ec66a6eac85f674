import { type Static, Type } from '@sinclair/typebox'
import type { RawPrompt } from '../../core/chat.ts'
import { parseAnswerForm } from '../chat/answer-form.ts'
import { parseSampling, samplingFields } from '../chat/parse-sampling.ts'
import { refuseBesideScores, scoreFields } from '../chat/prompt-scores.ts'
import { parseRepetitionDetection, repetitionField } from '../chat/repetition-detection.ts'
import { stopField, stopStrings } from '../chat/stop-strings.ts'
import { anyTokenLimit, limitOf, requireTokens } from '../chat/token-limit.ts'
import { cacheSaltField, parseStreamOptions } from '../chat-completions/parse-request.ts'
import { parseResponseFormat } from '../chat-completions/parse-response-format.ts'
import {
  check,
  invalidValue,
  modelField,
  optionalAny,
  optionalFlag,
  optionalInteger,
  optionalText,
  presentFields,
} from '../check.ts'
import type { ChatCall } from '../dialect.ts'
import { limits } from '../limits.ts'
import { isEmptyList, refuseUnsupported, type UnsupportedFields, unsupportedParameter } from '../unsupported.ts'
import { parsePrompts } from './parse-prompt.ts'

export const CompletionsBody = Type.Object({
  ...modelField,
  prompt: Type.Optional(
    Type.Unknown({ description: 'a text, an array of texts, or token ids', examples: ['Once upon a time'] }),
  ),
  suffix: optionalText,
  max_tokens: anyTokenLimit,
  n: optionalInteger(1, limits.choices.most),
  best_of: optionalInteger(1),
  stream: optionalFlag,
  stream_options: optionalAny,
  echo: optionalFlag,
  logprobs: optionalInteger(0, limits.alternatives.most),
  ...scoreFields,
  ...samplingFields,
  ...repetitionField,
  stop: stopField,
  response_format: optionalAny,
  cache_salt: cacheSaltField,
})

type Body = Static<typeof CompletionsBody>

const forChats = '. A prompt is continued as it is: for conversations use POST /v1/chat/completions.'

const unsupported: UnsupportedFields = {
  messages: { words: forChats },
  tools: { words: forChats, isHarmless: isEmptyList },
}

/** Default limit of tokens, as with OpenAI. Editors always send a higher one. */
const usualMaxTokens = 16

/** A completions body in canonical form. */
export interface CompletionCall extends ChatCall {
  /** True to end a stream with a chunk of token counts. */
  readonly includeUsage: boolean
  /** Length of each text prompt in code points, 0 for others. Offsets of tokens count from its start. */
  readonly promptLengths: readonly number[]
  /** Alternatives in `prompt_logprobs`. Undefined if not requested. */
  readonly promptLogprobs: number | undefined
}

/** Translates a whole body. Throws ApiError 400 whose `param` is the dotted path of the wrong field. */
export function parseCompletion(body: unknown): CompletionCall {
  const fields = presentFields(body)
  refuseUnsupported(fields, unsupported)
  const completion = check(CompletionsBody, fields)
  const { n = 1, echo = false, suffix = '', logprobs, prompt_logprobs: promptLogprobs } = completion
  const prompts = parsePrompts(completion.prompt, suffix)
  const streamOptions = parseStreamOptions(completion.stream_options)
  refuseTogether(completion)
  requireTokens('max_tokens', completion.max_tokens, echo || promptLogprobs !== undefined)
  const scored = [
    ...(echo && logprobs !== undefined ? [logprobs] : []),
    ...(promptLogprobs === undefined ? [] : [promptLogprobs]),
  ]
  const { most } = limits.answers
  if (prompts.length * n > most) {
    const product = n === 1 ? '' : `, which times 'n' are at most ${most} answers`
    throw invalidValue('prompt', `at most ${Math.floor(most / n)} texts${product}`)
  }
  return {
    model: completion.model,
    stream: completion.stream ?? false,
    includeUsage: streamOptions.includesUsage,
    promptLengths: logprobs === undefined ? [] : prompts.map((prompt) => (echo ? 0 : lengthOf(prompt))),
    promptLogprobs,
    request: {
      ...rawRequest(prompts),
      sampling: parseSampling(completion),
      stop: stopStrings(completion.stop),
      maxTokens: limitOf(completion.max_tokens ?? usualMaxTokens),
      repetitionLimit: parseRepetitionDetection(completion.repetition_detection),
      choices: prompts.length * n,
      topLogprobs: logprobs,
      ...(scored.length > 0 && { promptScores: Math.max(...scored) }),
      ...(promptLogprobs !== undefined && { namesPromptTokens: true }),
      ...(completion.return_tokens_as_token_ids === true && { reportsTokenIds: true }),
      ...(streamOptions.countsTokens && { countsTokens: true }),
      ...(completion.cache_salt !== undefined && { cacheSalt: completion.cache_salt }),
      ...(echo && { echoesPrompt: true }),
      ...parseAnswerForm(fields, 'response_format', parseResponseFormat(fields.response_format)),
    },
  }
}

/** Returns the fields that all requests to continue prompts share. */
export function rawRequest(prompts: readonly RawPrompt[]) {
  return {
    messages: [],
    prompts,
    tools: [],
    toolChoice: { mode: 'none' },
    parallelToolCalls: true,
    reasoning: {},
  } as const
}

function refuseTogether(body: Body): void {
  const { echo = false, suffix = '', logprobs, prompt_logprobs: promptLogprobs, best_of: bestOf, n = 1 } = body
  if (echo && suffix !== '') throw unsupportedParameter('echo', " beside 'suffix'. Leave one of them out.")
  if (promptLogprobs !== undefined && suffix !== '') {
    throw unsupportedParameter('prompt_logprobs', " beside 'suffix'. Leave one of them out.")
  }
  if (promptLogprobs !== undefined) refuseBesideScores("'prompt_logprobs'", body)
  else if (echo && logprobs !== undefined) refuseBesideScores("'logprobs' with 'echo'", body)
  if (bestOf === undefined || bestOf === n) return
  if (bestOf < n) throw invalidValue('best_of', "at least 'n'")
  throw unsupportedParameter('best_of', " where it is more than 'n'. Raise 'n', and choose among the answers.")
}

function lengthOf(prompt: RawPrompt): number {
  if (prompt.kind === 'tokens') return 0
  let length = 0
  for (const _ of prompt.kind === 'text' ? prompt.text : prompt.prefix) length++
  return length
}
