/** Refusals of upstream servers because prompt and answer together exceed their context. Pure. */
import type { ApiError } from '../../../core/errors.ts'
import { contextExceeded } from '../../shared/engine-errors.ts'
import type { UpstreamFailure } from '../http/failure.ts'

export interface LengthRefusal {
  /** Limit of prompt and answer together. Undefined if not reported. */
  readonly contextTokens: number | undefined
  /** Tokens of the prompt. Undefined if not reported, or only as a lower bound. */
  readonly promptTokens: number | undefined
  /** Most tokens of any answer. */
  readonly answerTokens: number | undefined
}

/**
 * Wordings of servers: vLLM in three forms, SGLang in two, llama-server, TensorRT-LLM, other servers of OpenAI's API.
 */
const patterns: Readonly<Record<keyof LengthRefusal, readonly RegExp[]>> = {
  contextTokens: [
    /maximum context length (?:is|of) (\d+)/i,
    /context length \((\d+) tokens\)/i,
    /maximum model length of (\d+)/i,
    /current batch size: (\d+)/i,
    /available context size \((\d+) tokens\)/i,
    /"n_ctx":\s*(\d+)/,
    /max_model_len=(?:max_total_tokens=)?(\d+)/,
    /max_seq_len \((\d+)\)/,
  ],
  promptTokens: [
    /\((\d+) in the (?:messages|prompt)/i,
    /request has (\d+) input tokens/i,
    /prompt contains (\d+) input tokens/i,
    /(\d+) tokens from the input messages/i,
    /(?:messages|'\S+') resulted in (?:[a-z ]+ )?(\d+) tokens/i,
    /input \((\d+) tokens\)/i,
    /request \((\d+) tokens\)/i,
    /prompt \(length (\d+)\)/i,
    /prompt length \((\d+)/i,
    /"n_prompt_tokens":\s*(\d+)/,
  ],
  answerTokens: [/supports at most (\d+) (?:completion|output) tokens/i],
}

/** Wordings without numbers. */
const words = /context_length_exceeded|exceed_context_size|max_tokens must be at least 1, got -/

const statuses = [400, 413, 422, 500]

/** Returns the refusal; undefined for other failures. */
export function lengthRefusal({ kind, status = 0, detail }: UpstreamFailure): LengthRefusal | undefined {
  if (kind !== 'status' || !statuses.includes(status)) return undefined
  const find = (name: keyof LengthRefusal) => {
    const found = patterns[name].map((pattern) => pattern.exec(detail)?.[1]).find((digits) => digits !== undefined)
    return found === undefined ? undefined : Number(found)
  }
  const refusal = {
    contextTokens: find('contextTokens'),
    promptTokens: find('promptTokens'),
    answerTokens: find('answerTokens'),
  }
  const isNamed = refusal.contextTokens !== undefined || refusal.answerTokens !== undefined
  return isNamed || words.test(detail) ? refusal : undefined
}

/**
 * Returns the client's error. `contextTokens`: used if the server does not report it. `param`: the field of a raw
 * prompt.
 */
export function tooLongError(refusal: LengthRefusal, contextTokens: number, param?: string): ApiError {
  const { contextTokens: limitTokens = contextTokens, promptTokens } = refusal
  return promptTokens === undefined
    ? contextExceeded(limitTokens, limitTokens + 1, 'at least ', param)
    : contextExceeded(limitTokens, promptTokens, '', param)
}

/** Returns the limit of the next attempt, below the refused one; undefined if the prompt alone does not fit. */
export function smallerLimit(
  { contextTokens, promptTokens, answerTokens }: LengthRefusal,
  refusedTokens: number,
  mostPromptTokens: number,
): number | undefined {
  if (answerTokens !== undefined && answerTokens < refusedTokens) return answerTokens
  if (contextTokens !== undefined && promptTokens !== undefined) {
    const room = contextTokens - promptTokens
    if (room < 1) return undefined
    if (room < refusedTokens) return room
  }
  // The prompt's length is unknown.
  const half = Math.floor(refusedTokens / 2)
  const sure = (contextTokens ?? 0) - mostPromptTokens
  const next = sure < refusedTokens ? Math.max(half, sure) : half
  return next < 1 ? undefined : next
}
