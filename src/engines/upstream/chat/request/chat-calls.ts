/** Converts a canonical chat request to calls of an upstream server. */
import type { ChatRequest, RawPrompt } from '../../../../core/chat.ts'
import type { ImagePart } from '../../../../core/content.ts'
import type { JsonObject } from '../../../../core/json.ts'
import type { UpstreamFlavor } from '../../../../core/upstream.ts'
import { unsupportedParameter } from '../../../shared/engine-errors.ts'
import type { ServerCall } from '../../server-path.ts'
import { type Abilities, abilitiesOf, type ChatForm, chatForms } from '../chat-form.ts'
import { answerFields } from './answer-fields.ts'
import { promptFields } from './prompt-fields.ts'
import { repetitionFields, samplingFields, stopFields } from './sampling-fields.ts'
import { sentBeginning, serverMessages } from './server-messages.ts'
import { thinkingFields } from './thinking-fields.ts'
import { toolFields } from './tool-fields.ts'

export interface ChatCallOptions {
  readonly flavor: UpstreamFlavor
  /** Abilities known from the manifest or a check of the server, which override the flavor's. */
  readonly abilities?: Partial<Abilities> | undefined
  /** Name of the model at the server. */
  readonly model: string
  /** Most generated tokens per choice, for which money is held. */
  readonly maxTokens: number
  /** Salt that separates accounts in the server's prefix cache. */
  readonly cacheSalt: string
  /** Returns the `data:` URL of a picture. */
  readonly pictureUrl: (picture: ImagePart) => string
}

/** Common input of all parts of a body. */
interface Making {
  readonly request: ChatRequest
  readonly options: ChatCallOptions
  readonly row: ChatForm
  readonly abilities: Abilities
}

/**
 * Returns one call per choice, in order. Throws ApiError 400 (`unsupported_parameter`, `unsupported_content`) for
 * features without which the answer would be wrong and that the server lacks. Unknown sampling settings are omitted.
 */
export function chatCalls(request: ChatRequest, options: ChatCallOptions): readonly ServerCall[] {
  const { flavor } = options
  const making = { request, options, row: chatForms[flavor], abilities: abilitiesOf(flavor, options.abilities) }
  requireScorable(request, making.abilities)
  const { prompts } = request
  if (prompts === undefined) return eachChoice(making, request.choices, chatCall(making))
  return prompts.flatMap((prompt) => eachChoice(making, request.choices / prompts.length, promptCall(making, prompt)))
}

function eachChoice({ request, row }: Making, choices: number, { body, ...place }: ServerCall): ServerCall[] {
  return Array.from({ length: choices }, (_, choice) => {
    return { ...place, body: { ...body, ...samplingFields(request, choice, row) } }
  })
}

function chatCall({ request, options, row, abilities }: Making): ServerCall {
  const { model, maxTokens, cacheSalt, pictureUrl } = options
  const body = {
    model,
    messages: serverMessages(request.messages, { row, takesPictures: abilities.pictures, pictureUrl }),
    [row.chatLimit]: maxTokens,
    ...streamFields(request, row),
    ...(row.cacheSalt !== 'none' && { cache_salt: cacheSalt }),
    ...toolFields(request, abilities, row),
    ...answerFields(request, abilities, row),
    ...thinkingFields(request, abilities, row),
    ...stopFields(request, row),
    ...repetitionFields(request.repetitionLimit, row),
    ...logprobFields(request, abilities),
    ...scoreFields(request),
    ...(sentBeginning(request.messages, row) !== '' && row.continuing),
  }
  return { path: '/chat/completions', body }
}

function promptCall({ request, options, row, abilities }: Making, prompt: RawPrompt): ServerCall {
  const { model, maxTokens, cacheSalt } = options
  const { logprobs, top_logprobs: top } = logprobFields(request, abilities)
  const { body, ...place } = promptFields(prompt, { request, abilities, row })
  return {
    ...place,
    body: {
      model,
      ...body,
      max_tokens: maxTokens,
      ...streamFields(request, row),
      ...(row.cacheSalt === 'all' && { cache_salt: cacheSalt }),
      ...answerFields(request, abilities, row),
      ...stopFields(request, row),
      ...repetitionFields(request.repetitionLimit, row),
      // For raw prompts, the number alone requests log probabilities.
      ...(logprobs === true && top !== undefined && { logprobs: top }),
      ...echoFields(request, prompt, abilities),
    },
  }
}

/** Returns whether servers answer the request as a whole (`scored-answer.ts`). */
export function isWholeAnswer({ promptScores, maxTokens }: ChatRequest): boolean {
  return promptScores !== undefined || maxTokens === 0
}

function streamFields(request: ChatRequest, { constants }: ChatForm): JsonObject {
  return isWholeAnswer(request) ? {} : constants
}

function scoreFields({ promptScores, reportsTokenIds }: ChatRequest): JsonObject {
  return {
    ...(promptScores !== undefined && { prompt_logprobs: promptScores }),
    ...(reportsTokenIds === true && { return_tokens_as_token_ids: true }),
  }
}

/**
 * Returns the fields for scores of a raw prompt. The log probabilities of an echoed text tell which tokens are its own.
 */
function echoFields(request: ChatRequest, { kind }: RawPrompt, { promptIds }: Abilities): JsonObject {
  const { promptScores, topLogprobs = 0 } = request
  const fields = scoreFields(promptIds ? request : { ...request, promptScores: undefined })
  if (!isWholeAnswer(request)) return fields
  const echoes = kind === 'text' || request.echoesPrompt === true
  return {
    ...fields,
    ...(echoes && { echo: true }),
    ...(echoes && promptScores !== undefined && { logprobs: Math.max(1, promptScores, topLogprobs) }),
  }
}

/** Throws for scores of prompts, prompts alone and token ids if the servers do not have them. */
function requireScorable(request: ChatRequest, { promptScores, promptIds, tokenIds }: Abilities): void {
  const { promptScores: wanted, maxTokens, echoesPrompt, topLogprobs, reportsTokenIds } = request
  const byServers = ' by the servers of this model. Leave it out, or choose another model.'
  if (!promptScores && wanted !== undefined) {
    if (echoesPrompt !== true || topLogprobs === undefined) throw unsupportedParameter('prompt_logprobs', byServers)
    throw unsupportedParameter('logprobs', " beside 'echo' by the servers of this model. Leave one of them out.")
  }
  if (!promptIds && request.namesPromptTokens === true) throw unsupportedParameter('prompt_logprobs', byServers)
  if (!promptScores && maxTokens === 0) throw unsupportedParameter('max_tokens', ` as 0${byServers}`)
  if (!tokenIds && reportsTokenIds === true) throw unsupportedParameter('return_tokens_as_token_ids', byServers)
}

/**
 * Returns the fields. Some servers report log probabilities only with alternatives: then one is requested, and the
 * reader removes it.
 */
function logprobFields(request: ChatRequest, abilities: Abilities): JsonObject {
  const { topLogprobs } = request
  if (topLogprobs === undefined) return {}
  if (!abilities.logprobs) throw unsupportedParameter('logprobs', ' by the servers of this model. Leave it out.')
  if (request.tools.length > 0 && !abilities.logprobsBesideTools) {
    throw unsupportedParameter('logprobs', " beside 'tools' by the servers of this model. Leave one of them out.")
  }
  return { logprobs: true, top_logprobs: Math.max(1, topLogprobs) }
}
