/** Methods of servers to report the length of a chat's prompt. */
import type { ChatRequest } from '../../../core/chat.ts'
import { countIn, fieldOf, type JsonObject } from '../../../core/json.ts'
import type { UpstreamFlavor } from '../../../core/upstream.ts'
import type { ServerCall } from '../server-path.ts'
import { toMessagesBody } from './messages-body.ts'

export interface CountWay {
  /** Returns the first call. `body`: the request for an answer. */
  first(request: ChatRequest, body: JsonObject): ServerCall
  /** Returns the number of tokens in the answer, or the next call; undefined if the answer holds neither. */
  next(answer: unknown): number | ServerCall | undefined
}

/** Fields of a request for an answer that determine the prompt. */
const ofPrompt = ['model', 'messages', 'tools', 'reasoning_effort', 'chat_template_kwargs'] as const

export function promptOf(body: JsonObject): JsonObject {
  return Object.fromEntries(ofPrompt.flatMap((name) => (body[name] === undefined ? [] : [[name, body[name]]])))
}

function tokenize(isAtRoot: boolean): CountWay {
  return {
    first: (_, body) => ({ path: '/tokenize', isAtRoot, body: promptOf(body) }),
    next: (answer) => countIn(fieldOf(answer, 'count')),
  }
}

/** Renders the prompt at the server, then counts its tokens. */
const template: CountWay = {
  first: (_, body) => ({ path: '/apply-template', isAtRoot: true, body: promptOf(body) }),
  next: (answer) => {
    const prompt = fieldOf(answer, 'prompt')
    if (typeof prompt === 'string') {
      return { path: '/tokenize', isAtRoot: true, body: { content: prompt, add_special: true, parse_special: true } }
    }
    const tokens = fieldOf(answer, 'tokens')
    return Array.isArray(tokens) ? countIn(tokens.length) : undefined
  },
}

const messages: CountWay = {
  first: (request, { model = '' }) => ({
    path: '/messages/count_tokens',
    body: { model, ...toMessagesBody(request) },
  }),
  next: (answer) => countIn(fieldOf(answer, 'input_tokens')),
}

/** Method by flavor. Undefined if the length can only be estimated. */
export const countWays: Readonly<Record<UpstreamFlavor, CountWay | undefined>> = {
  vllm: tokenize(true),
  sglang: tokenize(false),
  trtllm: undefined,
  llamacpp: template,
  openai: undefined,
  inferd: messages,
}
