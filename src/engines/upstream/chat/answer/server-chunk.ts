/** Chunk of a server's answer in the form common to all servers. */
import { isObject, type JsonObject, type JsonValue } from '../../../../core/json.ts'
import { UpstreamFailure } from '../../http/failure.ts'

/** Content that a chunk adds to the answer. Empty texts add nothing. */
export interface ServerDelta {
  readonly reasoning: string
  readonly text: string
  readonly calls: readonly JsonObject[]
  readonly logprobs: JsonValue | undefined
  /** Reason of the answer's end. Undefined if the answer continues. */
  readonly finish: string | undefined
  /** Stop string that ended the answer, if the server reports it. */
  readonly stopString: string | undefined
}

const errorCharactersLimit = 64 * 1024

/**
 * Parses a chunk. Throws UpstreamFailure `malformed` for invalid JSON, and `status` for an error in place of a chunk.
 */
export function parseChunk(data: string): JsonObject | undefined {
  const chunk = parseJson(data)
  if (!isObject(chunk)) return undefined // an unknown format
  const error = isSaid(chunk.error) ? chunk.error : chunk
  if (error === chunk && chunk.object !== 'error' && chunk.type !== 'error') return chunk
  const detail = data.slice(0, errorCharactersLimit)
  throw new UpstreamFailure('status', 'the server told an error in its stream', { status: statusOf(error), detail })
}

function parseJson(data: string): JsonValue {
  try {
    return JSON.parse(data)
  } catch (cause) {
    throw new UpstreamFailure('malformed', 'an event of the stream is not JSON', { detail: data.slice(0, 1024), cause })
  }
}

function isSaid(value: JsonValue | undefined): value is JsonValue {
  return value !== undefined && value !== null && value !== false && value !== ''
}

/** Returns the HTTP status that matches an error inside a stream: its own number, else one by its code or type. */
function statusOf(error: JsonValue): number {
  const { code, status, type } = isObject(error) ? error : {}
  // Other values may be nested too deep to be converted to text.
  const said = [code, status, type].map((each) => (typeof each === 'string' || typeof each === 'number' ? each : ''))
  const stated = said.map(Number).find((number) => Number.isInteger(number) && number >= 400 && number < 600)
  return stated ?? statuses[said[0] ?? ''] ?? statuses[said[2] ?? ''] ?? 500
}

const statuses: Readonly<Record<string, number | undefined>> = Object.assign(Object.create(null), {
  ...{ context_length_exceeded: 400, invalid_request_error: 400, BadRequestError: 400 },
  ...{ authentication_error: 401, insufficient_balance: 402, permission_error: 403 },
  ...{ rate_limit_error: 429, rate_limit_exceeded: 429 },
  ...{ overloaded: 503, overloaded_error: 503, model_loading: 503, model_unavailable: 503, insufficient_memory: 503 },
  ...{ storage_unavailable: 503, service_unavailable: 503 },
})

/** Returns JSON text. Throws UpstreamFailure `malformed` for a value nested too deep to be written. */
export function jsonText(value: JsonValue): string {
  try {
    return JSON.stringify(value)
  } catch (cause) {
    throw new UpstreamFailure('malformed', 'an event of the stream is nested too deep', { cause })
  }
}

/** Returns the content of a chunk's first choice, the only one of each call; undefined if there is none. */
export function deltaOf(chunk: JsonObject): ServerDelta | undefined {
  const choice = choiceOf(chunk)
  if (choice === undefined) return undefined
  // Some servers send a whole message in place of a piece.
  const delta = [choice.delta, choice.message].find(isObject) ?? {}
  const content = contentOf(delta.content)
  const stops = [choice.stop_reason, choice.matched_stop, choice.stopping_word]
  return {
    reasoning: textOf(delta.reasoning) || textOf(delta.reasoning_content) || content.reasoning,
    text: content.text || textOf(choice.text) || textOf(delta.refusal),
    calls: callsOf(delta),
    logprobs: choice.logprobs,
    finish: finishOf(choice.finish_reason),
    stopString: stops.find((stop) => typeof stop === 'string' && stop !== '') as string | undefined,
  }
}

function choiceOf(chunk: JsonObject): JsonObject | undefined {
  if (Array.isArray(chunk.choices)) {
    const choices: readonly JsonValue[] = chunk.choices
    return choices.filter(isObject).find(({ index }) => index === undefined || index === null || index === 0)
  }
  // llama-server's format for filled gaps.
  if (typeof chunk.content !== 'string') return undefined
  const finish = chunk.stop === true ? (chunk.stop_type === 'limit' ? 'length' : 'stop') : null
  return { text: chunk.content, finish_reason: finish, stopping_word: chunk.stopping_word ?? null }
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : ''
}

/** Returns the thinking and the text of a content, which is a string or a list of parts. */
function contentOf(content: JsonValue | undefined): { readonly reasoning: string; readonly text: string } {
  if (!Array.isArray(content)) return { reasoning: '', text: textOf(content) }
  let [reasoning, text] = ['', '']
  for (const part of content) {
    if (isObject(part) && (part.type === 'thinking' || part.type === 'reasoning')) {
      reasoning += textOfParts(part.thinking ?? part.text)
    } else text += textOfPart(part)
  }
  return { reasoning, text }
}

function textOfParts(parts: JsonValue | undefined): string {
  return Array.isArray(parts) ? parts.map(textOfPart).join('') : textOf(parts)
}

function textOfPart(part: JsonValue): string {
  return isObject(part) ? textOf(part.text) : textOf(part)
}

function callsOf({ tool_calls: calls, function_call: called }: JsonObject): readonly JsonObject[] {
  const list: readonly JsonValue[] = Array.isArray(calls) ? calls : []
  if (isObject(called)) return [...list.filter(isObject), { index: 0, function: called }]
  return list.filter(isObject)
}

function finishOf(reason: JsonValue | undefined): string | undefined {
  const said = isObject(reason) ? reason.type : reason
  return typeof said === 'string' && said !== '' ? said : undefined
}
