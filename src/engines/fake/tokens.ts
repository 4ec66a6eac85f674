/** The fake engine's tokenizer: each character is a token, its code point. Its template names the roles. */
import type { ChatRequest } from '../../core/chat.ts'
import { contentText } from '../../core/content.ts'
import type { TokensOutput, TokensRequest } from '../../core/tokens.ts'
import { refusedValue } from '../shared/engine-errors.ts'

/** Returns the answer's output, in one piece. Throws ApiError for tokens that are no code points. */
export function fakeTokens(request: TokensRequest, contextTokens: number): TokensOutput {
  switch (request.task) {
    case 'info':
      return { type: 'tokenizer', endToken: '<end>', chatTemplate: 'role: text', contextTokens }
    case 'tokens':
      return { type: 'prompt-text', text: textOf(request.tokens) }
    case 'template':
      return { type: 'prompt-text', text: promptOf(request, request.isClosed) }
    case 'chat':
      return toList(promptOf(request, request.isClosed), request.hasPieces, contextTokens)
    case 'text':
      return toList(request.text, request.hasPieces, contextTokens)
  }
}

const lastCodePoint = 0x10_ff_ff

function textOf(tokens: readonly number[]): string {
  const unknown = tokens.find((token) => token > lastCodePoint)
  if (unknown !== undefined) throw refusedValue(`'tokens' holds ${unknown}, which is no code point.`, 'tokens')
  return tokens.map((token) => String.fromCodePoint(token)).join('')
}

function promptOf({ messages }: ChatRequest, isClosed: boolean): string {
  const lines = messages.map(({ role, content }) => `${role}: ${contentText(content)}\n`)
  return lines.join('') + (isClosed ? '' : 'assistant: ')
}

function toList(text: string, hasPieces: boolean, contextTokens: number): TokensOutput {
  const characters = [...text]
  const tokens = Int32Array.from(characters, (character) => character.codePointAt(0) ?? 0)
  if (!hasPieces) return { type: 'tokens', tokens, contextTokens }
  const lengths = characters.map((character) => Buffer.byteLength(character))
  let end = 0
  const ends = Int32Array.from(lengths, (length) => {
    end += length
    return end
  })
  return { type: 'tokens', tokens, pieces: { bytes: new Uint8Array(Buffer.from(text)), ends }, contextTokens }
}
