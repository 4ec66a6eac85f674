/** The fake engine's script: the last user message as JSON, or its words echoed. */
import type { ChatRequest, FinishReason } from '../../core/chat.ts'
import { contentText } from '../../core/content.ts'
import type { ErrorData } from '../../core/errors.ts'

export type FakeAction =
  | { readonly text: string }
  | { readonly reasoning: string }
  | { readonly tool: { readonly name: string; readonly arguments: readonly string[] } }
  /** The request as it reached the engine, as JSON text. */
  | { readonly echoRequest: true }
  | { readonly delayMs: number }
  /** A line on the child's error output. */
  | { readonly log: string }
  | { readonly waitForCancel: true }
  | { readonly crash: 'exit' | 'abort' }
  | { readonly error: ErrorData }

export interface FakeScript {
  readonly script: readonly FakeAction[]
  readonly finish: FinishReason
  readonly stopString?: string
  readonly isContextFull?: boolean
  readonly isRepetition?: boolean
  readonly promptTokens: number
  readonly cachedTokens: number
  /** Prompt tokens that are processed when a cancel comes before the first token; absent: all. */
  readonly prefillTokens?: number
}

/** Each of these is one token of each choice. */
export function isToken(action: FakeAction): boolean {
  return 'text' in action || 'reasoning' in action || 'tool' in action || 'echoRequest' in action
}

/** Each word of the echo is one token. */
export function readScript(request: ChatRequest): FakeScript {
  const content = contentText(request.messages.findLast(({ role }) => role === 'user')?.content ?? [])
  const defaults = { finish: 'stop', promptTokens: 5, cachedTokens: 0 } as const
  if (content.startsWith('{"script":')) return { ...defaults, ...JSON.parse(content) }
  const words = content.match(/\S+\s*/g) ?? []
  const limit = request.maxTokens ?? words.length
  return {
    ...defaults,
    script: words.slice(0, limit).map((text) => ({ text })),
    finish: limit < words.length ? 'length' : 'stop',
  }
}
