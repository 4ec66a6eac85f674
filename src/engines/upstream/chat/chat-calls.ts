/** From a canonical chat request to what a server behind is sent. */
import type { ChatRequest } from '../../../core/chat.ts'
import type { ImagePart } from '../../../core/content.ts'
import type { JsonObject } from '../../../core/json.ts'
import type { UpstreamFlavor } from '../../../core/upstream.ts'
import type { Abilities, ServerPath } from '../flavors.ts'

/** One request to a server behind, answered by events. */
export interface UpstreamCall extends ServerPath {
  readonly body: JsonObject
}

export interface ChatCallOptions {
  readonly flavor: UpstreamFlavor
  /** What is known to differ from the flavor's own: from the manifest, or from a check of the server. */
  readonly abilities?: Partial<Abilities> | undefined
  /** The model's name at the server. */
  readonly model: string
  /** Limit on generated tokens of each choice: what was held for. */
  readonly maxTokens: number
  /** Separates the accounts in the server's prefix cache. */
  readonly cacheSalt: string
  /** A `data:` URL of a picture. */
  readonly pictureUrl: (picture: ImagePart) => string
}

/**
 * One call a choice, in their order. Throws ApiError 400 (`unsupported_parameter`, `unsupported_content`) for what the server cannot
 * do and the answer would be wrong without.
 */
export function chatCalls(request: ChatRequest, options: ChatCallOptions): readonly UpstreamCall[] {
  const messages = request.messages.map(({ role, content }) => ({
    role,
    content: content.map((part) => (part.type === 'text' ? part.text : '')).join(''),
  }))
  const { model, maxTokens } = options
  const body: JsonObject = {
    model,
    messages,
    max_tokens: maxTokens,
    stream: true,
    stream_options: { include_usage: true },
  }
  return Array.from({ length: request.choices }, () => ({ path: '/chat/completions', body }))
}
