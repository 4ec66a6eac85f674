/** From the chunks of one answer to events. */
import type { ChatOutput, ChatRequest } from '../../../core/chat.ts'
import type { UpstreamFlavor } from '../../../core/upstream.ts'
import type { Abilities } from '../flavors.ts'
import { UpstreamFailure } from '../http/failure.ts'
import type { CumulativeUsage } from './usage-reader.ts'

export interface ChatReaderOptions {
  /** Number of the choice, whose call this answers. */
  readonly choice: number
  readonly request: ChatRequest
  readonly flavor: UpstreamFlavor
  readonly abilities?: Partial<Abilities> | undefined
}

/** Tokens that the answer's own pieces show, for servers that count none. At least one for each piece. */
export interface CountedTokens {
  readonly completionTokens: number
  /** Those of them that are thinking. */
  readonly reasoningTokens: number
}

export class ChatReader {
  readonly #options: ChatReaderOptions

  /** Nothing more is to be read: the server said so, or the answer was cut here. What still comes would be ignored. */
  get isDone(): boolean {
    return false
  }

  /** The choice's `choice-finish` was given out. Only usage may follow. */
  get isFinished(): boolean {
    return false
  }

  /** What the server counted so far; undefined: nothing yet. */
  get usage(): CumulativeUsage | undefined {
    return undefined
  }

  get counted(): CountedTokens {
    return { completionTokens: 0, reasoningTokens: 0 }
  }

  constructor(options: ChatReaderOptions) {
    this.#options = options
  }

  /**
   * The events of the next chunk, given as the server sent it: JSON text or `[DONE]`. Throws UpstreamFailure: `malformed` for what is
   * no chunk, `cut` for an answer that the server gave up, `status` for an error in place of a chunk.
   */
  read(_data: string): readonly ChatOutput[] {
    throw new UpstreamFailure('malformed', `the reader of flavor ${this.#options.flavor} is not built yet`)
  }

  /** The stream ended. Throws UpstreamFailure `cut` where the answer did not. */
  end(): readonly ChatOutput[] {
    if (!this.isFinished) throw new UpstreamFailure('cut', 'the stream ended before the answer did')
    return []
  }
}
