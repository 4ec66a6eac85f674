import { type ApiClient, BrokenOff } from '../api-client.ts'

export interface AnswerPiece {
  readonly kind: 'thought' | 'text'
  readonly text: string
}

/** Facts at the end of an answer. */
export interface AnswerEnd {
  /** Reason why the model ended, such as `stop` or `length`. */
  readonly finish: string | undefined
  readonly promptTokens: number
  readonly completionTokens: number
}

interface Chunk {
  readonly choices?: readonly {
    readonly delta?: { readonly content?: string | null; readonly reasoning_content?: string | null }
    readonly finish_reason?: string | null
  }[]
  readonly usage?: { readonly prompt_tokens: number; readonly completion_tokens: number } | null
}

/**
 * Yields the pieces of a streamed answer and returns its facts. Asks once more if the server breaks off before the first
 * piece. Throws CommandError, and the signal's reason.
 */
export async function* answerPieces(
  api: ApiClient,
  body: object,
  signal: AbortSignal,
): AsyncGenerator<AnswerPiece, AnswerEnd> {
  let hasBegun = false
  try {
    const pieces = onePass(api, body, signal)
    for (;;) {
      const { value, done } = await pieces.next()
      if (done) return value
      hasBegun = true
      yield value
    }
  } catch (error) {
    if (hasBegun || !(error instanceof BrokenOff)) throw error
    return yield* onePass(api, body, signal)
  }
}

async function* onePass(api: ApiClient, body: object, signal: AbortSignal): AsyncGenerator<AnswerPiece, AnswerEnd> {
  const streamed = { ...body, stream: true, stream_options: { include_usage: true } }
  const answer = await api.post('/chat/completions', streamed, signal)
  let finish: string | undefined
  let usage: Chunk['usage']
  for await (const event of answer.events()) {
    const chunk = event as Chunk // in the API's documented form
    usage = chunk.usage ?? usage
    const [choice] = chunk.choices ?? []
    finish = choice?.finish_reason ?? finish
    const { content, reasoning_content: thought } = choice?.delta ?? {}
    if (thought) yield { kind: 'thought', text: thought }
    if (content) yield { kind: 'text', text: content }
  }
  return { finish, promptTokens: usage?.prompt_tokens ?? 0, completionTokens: usage?.completion_tokens ?? 0 }
}
