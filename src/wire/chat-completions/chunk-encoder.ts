import type { ChatEvent, TokenLogprob } from '../../core/chat.ts'
import type { ApiError } from '../../core/errors.ts'
import type { NewId } from '../../core/ids.ts'
import { unreachable } from '../../core/unreachable.ts'
import type { StreamEncoder } from '../dialect.ts'
import { toErrorBody } from '../error-body.ts'
import { dataFrame, doneFrame, keepAliveFrame } from '../sse-frame.ts'
import type { Envelope } from './envelope.ts'
import { toFinishReason, type WireFinishReason } from './to-finish-reason.ts'
import { toLogprobs, type WireLogprobs } from './to-logprobs.ts'
import { toUsage } from './to-usage.ts'

export interface ChunkEncoderOptions {
  readonly envelope: Envelope
  /** Number of choices asked for. */
  readonly choices: number
  /** A last chunk of token counts, and `usage: null` on the others. */
  readonly includeUsage: boolean
  readonly newId: NewId
  readonly docsUrl: (code: string) => string
}

interface WireDelta {
  readonly role?: 'assistant'
  readonly content?: string
  readonly reasoning_content?: string
  readonly tool_calls?: readonly {
    readonly index: number
    readonly id?: string
    readonly type?: 'function'
    readonly function: { readonly name?: string; readonly arguments: string }
  }[]
}

/**
 * Turns the events of one request into the frames of a chat completion stream: per choice a role chunk, deltas and a
 * finish chunk; then the usage chunk if asked for; then `[DONE]`. Synchronous; keeps no text.
 */
export class ChunkEncoder implements StreamEncoder {
  readonly #base: {
    readonly id: string
    readonly object: 'chat.completion.chunk'
    readonly created: number
    readonly model: string
    readonly system_fingerprint: string
  }
  readonly #newId: NewId
  readonly #docsUrl: (code: string) => string
  readonly #noUsage: { readonly usage: null } | undefined
  /** Calls whose arguments are still empty, by choice. */
  readonly #emptyCalls: readonly Set<number>[]

  constructor({ envelope, choices, includeUsage, newId, docsUrl }: ChunkEncoderOptions) {
    this.#newId = newId
    this.#docsUrl = docsUrl
    this.#base = {
      id: envelope.id,
      object: 'chat.completion.chunk',
      created: envelope.created,
      model: envelope.model,
      system_fingerprint: envelope.fingerprint,
    }
    this.#noUsage = includeUsage ? { usage: null } : undefined
    this.#emptyCalls = Array.from({ length: choices }, () => new Set<number>())
  }

  /** Frames to send now; often one, sometimes none. */
  push(event: ChatEvent): string[] {
    switch (event.type) {
      case 'start':
        // Clients fail on a choice whose first delta names no role, whatever it brings besides.
        return this.#emptyCalls.map((_, index) => this.#chunk(index, { role: 'assistant', content: '' }))
      case 'text-delta':
        return [this.#chunk(event.choice, { content: event.text }, event.logprobs)]
      case 'reasoning-delta':
        return event.text === '' ? [] : [this.#chunk(event.choice, { reasoning_content: event.text })]
      case 'tool-call-start':
        this.#emptyCalls[event.choice]?.add(event.index)
        return [
          this.#chunk(event.choice, {
            tool_calls: [
              {
                index: event.index,
                id: this.#newId('call_'),
                type: 'function',
                function: { name: event.name, arguments: '' },
              },
            ],
          }),
        ]
      case 'tool-call-delta':
        if (event.argumentsText === '') return []
        this.#emptyCalls[event.choice]?.delete(event.index)
        return [this.#argumentsChunk(event.choice, event.index, event.argumentsText)]
      case 'choice-finish':
        return [
          ...this.#fillEmptyCalls(event.choice),
          this.#chunk(event.choice, {}, undefined, toFinishReason(event.reason)),
        ]
      case 'finish':
        return this.#noUsage === undefined
          ? []
          : [dataFrame({ ...this.#base, choices: [], usage: toUsage(event.usage) })]
      default:
        return unreachable(event)
    }
  }

  end(): string[] {
    return [doneFrame]
  }

  /** No `[DONE]` follows: clients take that for a complete answer. */
  fail(error: ApiError): string[] {
    return [dataFrame(toErrorBody(error, this.#docsUrl(error.code)))]
  }

  keepAlive(): string {
    return keepAliveFrame
  }

  /** Agents parse a call's arguments: a call without any is an empty object, not an empty text. */
  #fillEmptyCalls(choice: number): string[] {
    const empty = this.#emptyCalls[choice]
    if (empty === undefined || empty.size === 0) return []
    const frames = [...empty].map((call) => this.#argumentsChunk(choice, call, '{}'))
    empty.clear()
    return frames
  }

  #argumentsChunk(choice: number, call: number, text: string): string {
    return this.#chunk(choice, { tool_calls: [{ index: call, function: { arguments: text } }] })
  }

  #chunk(
    index: number,
    delta: WireDelta,
    tokens?: readonly TokenLogprob[],
    finishReason: WireFinishReason | null = null,
  ): string {
    const logprobs: WireLogprobs | null = tokens === undefined ? null : toLogprobs(tokens)
    return dataFrame({
      ...this.#base,
      choices: [{ index, delta, logprobs, finish_reason: finishReason }],
      ...this.#noUsage,
    })
  }
}
