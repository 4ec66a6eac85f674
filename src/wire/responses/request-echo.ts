import { isObject, type JsonObject } from '../../core/json.ts'
import { invalidValue } from '../check.ts'

/** Fields of a request that its response repeats as sent */
export type RequestEcho = ReturnType<typeof toEcho>

/** Most characters of each label. Every answer repeats the labels, a stream three times. */
const maxLabelCharacters = 65_536

/**
 * Returns the repeated fields of a checked body. Their nested fields may be unchecked. Throws ApiError 400 for labels
 * that are too long to be repeated.
 */
export function toEcho(fields: Readonly<Record<string, unknown>>) {
  const reasoning = objectOf(fields.reasoning)
  const text = objectOf(fields.text)
  for (const name of ['metadata', 'prompt_cache_key', 'safety_identifier', 'user']) {
    if ((JSON.stringify(fields[name]) ?? '').length > maxLabelCharacters) {
      throw invalidValue(name, `at most ${maxLabelCharacters} characters long`)
    }
  }
  return {
    instructions: fields.instructions ?? null,
    max_output_tokens: fields.max_output_tokens === -1 ? null : (fields.max_output_tokens ?? null),
    metadata: objectOf(fields.metadata),
    parallel_tool_calls: fields.parallel_tool_calls !== false,
    prompt_cache_key: fields.prompt_cache_key ?? null,
    reasoning: { effort: reasoning.effort ?? null, summary: reasoning.summary ?? null },
    safety_identifier: fields.safety_identifier ?? null,
    temperature: fields.temperature ?? null,
    text: { format: text.format ?? { type: 'text' }, verbosity: text.verbosity ?? 'medium' },
    tool_choice: fields.tool_choice ?? 'auto',
    tools: fields.tools ?? [],
    top_logprobs: fields.top_logprobs ?? 0,
    top_p: fields.top_p ?? null,
    user: fields.user ?? null,
  }
}

function objectOf(value: unknown): JsonObject {
  return isObject(value) ? value : {}
}
