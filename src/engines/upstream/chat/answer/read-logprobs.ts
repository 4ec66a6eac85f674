/** Log probabilities of a chunk's tokens, in any form of the servers. */
import type { TokenAlternative, TokenLogprob } from '../../../../core/chat.ts'
import { isObject, type JsonObject, type JsonValue } from '../../../../core/json.ts'

/** Longest token of any vocabulary, in characters. */
export const tokenCharactersLimit = 256
/** Most bytes of a UTF-16 character. */
const bytesOfCharacter = 3

/**
 * Reads log probabilities. Omits invalid entries and those longer than any token. `alternatives`: number requested per
 * token.
 */
export function readLogprobs(logprobs: JsonValue | undefined, alternatives: number): TokenLogprob[] {
  if (!isObject(logprobs)) return []
  if (Array.isArray(logprobs.content)) return fromObjects(logprobs.content, alternatives)
  return fromLists(logprobs, alternatives)
}

/** Reads the form of chats: an object per token. */
function fromObjects(content: readonly JsonValue[], alternatives: number): TokenLogprob[] {
  return content.filter(isObject).flatMap((entry) => {
    const token = toAlternative(entry)
    if (token === undefined) return []
    const others: readonly JsonValue[] = Array.isArray(entry.top_logprobs) ? entry.top_logprobs : []
    const wanted = others.filter(isObject).slice(0, alternatives)
    return [{ ...token, alternatives: wanted.flatMap((other) => toAlternative(other) ?? []) }]
  })
}

/** Reads the form of completions: parallel lists. */
function fromLists(lists: JsonObject, alternatives: number): TokenLogprob[] {
  const tokens: readonly JsonValue[] = Array.isArray(lists.tokens) ? lists.tokens : []
  const { token_logprobs: logprobs, top_logprobs: top } = lists
  return tokens.flatMap((token, index) => {
    const own = toAlternative({ token, logprob: entryOf(logprobs, index) ?? null })
    if (own === undefined) return []
    const others = entryOf(top, index)
    const sorted = Object.entries(isObject(others) ? others : {}).sort(([, a], [, b]) => Number(b) - Number(a))
    const wanted = sorted.slice(0, alternatives)
    return [{ ...own, alternatives: wanted.flatMap(([token, logprob]) => toAlternative({ token, logprob }) ?? []) }]
  })
}

function entryOf(list: JsonValue | undefined, index: number): JsonValue | undefined {
  const entries: readonly JsonValue[] = Array.isArray(list) ? list : []
  return entries[index]
}

function toAlternative({ token, logprob, bytes }: JsonObject): TokenAlternative | undefined {
  if (typeof token !== 'string' || typeof logprob !== 'number' || token.length > tokenCharactersLimit) return undefined
  return { token, bytes: isBytes(bytes) ? bytes : Array.from(new TextEncoder().encode(token)), logprob }
}

function isBytes(value: JsonValue | undefined): value is readonly number[] {
  if (!Array.isArray(value) || value.length > tokenCharactersLimit * bytesOfCharacter) return false
  return value.every((byte) => Number.isInteger(byte) && byte >= 0 && byte <= 255)
}
