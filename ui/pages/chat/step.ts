/** One request to a model and its answer so far. */
import { type Signal, signal } from '@preact/signals'
import { RequestFailure, toFailure } from '../../api/failure.ts'
import { payer } from '../../api/payer.ts'
import type { ReceiptFigures } from '../../parts/play/receipt.ts'
import type { ToolCall } from './conversation.ts'

/**
 * State of the answer. `stopped` by the person and `failed` at the server keep the text so far; `elsewhere` another tab
 * is still receiving it.
 */
export type StepState = 'waiting' | 'streaming' | 'elsewhere' | 'complete' | 'stopped' | 'failed'

interface ToolCallDelta {
  readonly index: number
  readonly id?: string
  readonly function?: { readonly name?: string; readonly arguments?: string }
}

/** Part of a stream's chunk that is read here */
interface Chunk {
  readonly choices?: readonly {
    readonly delta?: {
      readonly content?: string | null
      readonly reasoning_content?: string
      readonly tool_calls?: readonly ToolCallDelta[]
    }
    readonly finish_reason?: string | null
  }[]
  readonly error?: { readonly message?: string; readonly code?: string }
}

export class Step {
  readonly state: Signal<StepState>
  readonly calls = signal<readonly ToolCall[]>([])
  readonly receipt = signal<ReceiptFigures | undefined>(undefined)
  readonly failure = signal<RequestFailure | undefined>(undefined)
  /** Changes when more text should be shown */
  readonly shown = signal(0)
  text = ''
  reasoning = ''
  /** Time of thinking in milliseconds. Undefined until thinking has ended. */
  thoughtMs: number | undefined
  requestId: string | undefined
  /** Team that was chosen to pay. Undefined for the account itself. */
  readonly payer = payer.value
  /** Balance of the payer at the step's end, as decimal text. Undefined after a reload. */
  readonly balanceUsd = signal<string | undefined>(undefined)
  /** Body as sent. Undefined after a reload. */
  readonly request: object | undefined
  /** Stream as received */
  readonly response: string[] = []
  #thinkingSinceMs: number | undefined
  #isDone = false

  constructor(request: object | undefined, state: StepState = 'waiting') {
    this.request = request
    this.state = signal(state)
  }

  /** Takes the data of one event of the stream. Throws RequestFailure for an error in it. */
  take(data: string): void {
    if (data === '[DONE]') {
      this.#isDone = true
      return
    }
    const chunk = JSON.parse(data) as Chunk
    if (chunk.error !== undefined) throw toFailure(200, this.#headers(), chunk)
    const delta = chunk.choices?.[0]?.delta
    if (delta === undefined) return
    if (delta.reasoning_content) {
      this.#thinkingSinceMs ??= performance.now()
      this.reasoning += delta.reasoning_content
    }
    if (delta.content) {
      this.#endThinking()
      this.text += delta.content
    }
    for (const call of delta.tool_calls ?? []) {
      this.#endThinking()
      this.#addToCall(call)
    }
    if (this.state.value === 'waiting') this.state.value = 'streaming'
  }

  /** Ends the step after its stream. Throws RequestFailure unless the answer has ended. */
  end(): void {
    if (!this.#isDone) throw this.broken()
    this.finish('complete')
  }

  /** Returns the failure of an answer whose connection ended before it did. */
  broken(): RequestFailure {
    const error = { message: 'The connection ended before the answer did.', code: 'connection_lost' }
    return toFailure(0, this.#headers(), { error })
  }

  finish(state: StepState, failure?: RequestFailure): void {
    this.#endThinking()
    this.failure.value = failure
    this.state.value = state
  }

  get isRunning(): boolean {
    return this.state.value === 'waiting' || this.state.value === 'streaming'
  }

  get isElsewhere(): boolean {
    return this.state.value === 'elsewhere'
  }

  get words(): number {
    return this.text.match(/[\p{L}\p{N}]+(?:['’-][\p{L}\p{N}]+)*/gu)?.length ?? 0
  }

  #endThinking(): void {
    if (this.#thinkingSinceMs !== undefined) this.thoughtMs ??= performance.now() - this.#thinkingSinceMs
  }

  #addToCall({ index, id = '', function: part = {} }: ToolCallDelta): void {
    const calls = [...this.calls.value]
    const before = calls[index] ?? { id, name: '', arguments: '' }
    calls[index] = {
      ...before,
      name: before.name + (part.name ?? ''),
      arguments: before.arguments + (part.arguments ?? ''),
    }
    this.calls.value = calls
  }

  #headers(): Headers {
    return new Headers(this.requestId === undefined ? {} : { 'x-request-id': this.requestId })
  }
}

/** Tells whether the person caused a failure by pressing Stop, or by leaving. */
export function isAborted(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'AbortError' && !(error instanceof RequestFailure)
}
