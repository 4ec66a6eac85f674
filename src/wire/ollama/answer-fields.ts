/** Fields that the bodies of chat and generate share. */
import { type Static, Type } from '@sinclair/typebox'
import type { ChatRequest, Reasoning } from '../../core/chat.ts'
import { ApiError } from '../../core/errors.ts'
import { isObject } from '../../core/json.ts'
import type { ModelManifest } from '../../core/model.ts'
import { type AnswerForm, anyObject, fittingSchema } from '../chat/answer-form.ts'
import { parseEffort } from '../chat/parse-reasoning.ts'
import { invalidValue, modelField, optionalAny, optionalFlag, optionalInteger } from '../check.ts'
import type { ChatCall } from '../dialect.ts'
import { limits } from '../limits.ts'
import { parseKeepAlive } from './keep-alive.ts'
import { parseOptions } from './options.ts'

export const answerFields = {
  ...modelField,
  stream: optionalFlag,
  format: optionalAny,
  options: optionalAny,
  keep_alive: optionalAny,
  think: optionalAny,
  logprobs: optionalFlag,
  top_logprobs: optionalInteger(0, limits.alternatives.most),
}

const AnswerFields = Type.Object(answerFields)

/** A body of chat or generate in canonical form. */
export interface OllamaCall extends ChatCall {
  readonly keepAliveMs?: number
  /** True if the request only loads or unloads the model. */
  readonly isEmpty: boolean
}

type ParsedFields = Omit<OllamaCall, 'isEmpty' | 'request'> & { readonly request: Omit<ChatRequest, 'messages'> }

/**
 * Reads the checked fields that do not concern the prompt. Answers are streamed unless the body says otherwise.
 * Throws ApiError 400.
 */
export function parseAnswerFields(fields: Static<typeof AnswerFields>): ParsedFields {
  const keepAliveMs = parseKeepAlive(fields.keep_alive)
  return {
    model: fields.model,
    stream: fields.stream ?? true,
    ...(keepAliveMs !== undefined && { keepAliveMs }),
    request: {
      ...parseOptions(fields.options),
      ...parseFormat(fields.format),
      ...(fields.logprobs === true && { topLogprobs: fields.top_logprobs ?? 0 }),
      reasoning: parseThink(fields.think),
      choices: 1,
      tools: [],
      toolChoice: { mode: 'auto' },
      parallelToolCalls: true,
    },
  }
}

function parseFormat(format: unknown): AnswerForm {
  if (format === undefined || format === '') return {}
  if (format === 'json') return anyObject
  if (!isObject(format)) throw invalidValue('format', '"json" or a JSON schema')
  return fittingSchema(format, { path: 'format', isStrict: false })
}

function parseThink(think: unknown): Reasoning {
  if (think === undefined || think === '') return {}
  if (typeof think === 'boolean') return { mode: think ? 'on' : 'off' }
  if (typeof think !== 'string') throw invalidValue('think', 'true, false, "low", "medium" or "high"')
  return parseEffort(think.toLowerCase(), 'think')
}

/** Throws ApiError 400 if thinking is requested and the model is known not to think. */
export function requireThinking({ model, request }: OllamaCall, { capabilities }: ModelManifest): void {
  if (request.reasoning.mode !== 'on' || capabilities.reasoning !== 'none') return
  throw new ApiError('invalid_request', `"${model.slice(0, 100).toWellFormed()}" does not support thinking`, {
    code: 'unsupported_parameter',
    param: 'think',
  })
}
