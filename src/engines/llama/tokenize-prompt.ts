import { ApiError } from '../../core/errors.ts'
import type { NativeModel } from './native.ts'

/**
 * Characters per token beyond which a prompt is tokenised in part first: far more than text ever has, so that a body of
 * many megabytes cannot keep everybody waiting just to be refused.
 */
const generousCharactersPerToken = 16

/** Token ids of a rendered prompt. Throws `context_length_exceeded` with both numbers when no token could follow it. */
export async function tokenizePrompt(
  model: Pick<NativeModel, 'tokenize'>,
  prompt: string,
  contextTokens: number,
): Promise<Int32Array> {
  const characters = contextTokens * generousCharactersPerToken
  if (prompt.length > characters) {
    const beginning = await model.tokenize(prompt.slice(0, characters), true, true)
    if (beginning.length >= contextTokens) throw tooLong(contextTokens, `more than ${beginning.length}`)
  }
  const tokens = await model.tokenize(prompt, true, true)
  if (tokens.length >= contextTokens) throw tooLong(contextTokens, String(tokens.length))
  return tokens
}

/**
 * Refuses a conversation that has a message for every token of the context, before it is rendered: that takes a third of
 * a millisecond a message, and nobody else is served meanwhile. Throws as `tokenizePrompt` does.
 */
export function requireRoom(messageCount: number, contextTokens: number): void {
  if (messageCount >= contextTokens) throw tooLong(contextTokens, `more than ${messageCount}`)
}

/** The wording is what agents' error matching looks for. */
function tooLong(contextTokens: number, count: string): ApiError {
  const message = `This model's maximum context length is ${contextTokens} tokens. However, your messages resulted in ${count} tokens. Please shorten them and leave room for the answer.`
  return new ApiError('invalid_request', message, { code: 'context_length_exceeded', param: 'messages' })
}
