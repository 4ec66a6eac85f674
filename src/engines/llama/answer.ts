/** One choice of one request while it is generated: its tokens, and the events its samples become. */
import type { ChatEvent, RepetitionLimit, TokenAlternative, TokenLogprob } from '../../core/chat.ts'
import { unreachable } from '../../core/unreachable.ts'
import { LoopGuard } from './loop-guard.ts'
import type { NativeModel, NativeSample, NativeSampler } from './native.ts'
import type { ReplyDelta, ReplyReader } from './reply-reader.ts'
import { StopMatcher } from './stop-matcher.ts'

export interface AnswerOptions {
  readonly choice: number
  readonly prompt: ArrayLike<number>
  /** Most tokens to generate. */
  readonly maxTokens: number
  /** That limit is the end of the context. */
  readonly isLimitedByContext: boolean
  readonly sampler: NativeSampler
  readonly reader: ReplyReader
  /** Renders token bytes for log probabilities. */
  readonly model: Pick<NativeModel, 'tokenBytes'>
  readonly wantsLogprobs: boolean
  /** The request's stop strings: they count in the visible text only. */
  readonly stops: readonly string[]
  /** What ends it when it only repeats itself; undefined: nothing does. */
  readonly repetitionLimit: RepetitionLimit | undefined
}

/** How an answer ended. */
type End = Omit<Extract<ChatEvent, { type: 'choice-finish' }>, 'type' | 'choice'>

export class Answer {
  readonly choice: number
  readonly sampler: NativeSampler
  /** The prompt followed by everything generated so far. */
  readonly tokens: number[]
  /** How many of `tokens` are in the KV cache. */
  decoded = 0
  generatedTokens = 0
  reasoningTokens = 0
  readonly #options: AnswerOptions
  readonly #stops: StopMatcher
  readonly #guard: LoopGuard | undefined
  #logprobs: TokenLogprob[] = []

  constructor(options: AnswerOptions) {
    this.#options = options
    this.choice = options.choice
    this.sampler = options.sampler
    this.tokens = Array.from(options.prompt)
    this.#stops = new StopMatcher(options.stops)
    const { repetitionLimit, sampler } = options
    if (repetitionLimit !== undefined) this.#guard = new LoopGuard(repetitionLimit, () => sampler.grammarPlace())
  }

  /** Tokens still to be decoded before the next one can be sampled; at least 1. */
  get undecoded(): number {
    return this.tokens.length - this.decoded
  }

  /** Waiting for one token only, as opposed to processing a prompt. */
  get isGenerating(): boolean {
    return this.generatedTokens > 0 && this.undecoded === 1
  }

  /** Takes the token sampled for this answer. The events' last one is `choice-finish` when the answer is complete. */
  take(sample: NativeSample): ChatEvent[] {
    const { reader, maxTokens, isLimitedByContext } = this.#options
    this.tokens.push(sample.token)
    this.generatedTokens++
    if (reader.kind === 'reasoning') this.reasoningTokens++
    if (sample.logprob !== undefined && sample.end === undefined)
      this.#logprobs.push(this.#toLogprob(sample, sample.logprob))
    const { events, stop } = this.#toEvents(reader.push(sample.text))
    if (stop !== undefined) return this.#finish(events, { reason: 'stop', stopString: stop })
    if (sample.end !== undefined || reader.isDone) return this.#finishWith(events, 'stop')
    if (this.generatedTokens >= maxTokens) {
      return this.#finishWith(events, 'length', isLimitedByContext ? { isContextFull: true } : {})
    }
    if (this.#guard?.push(sample.token) === true) return this.#finishWith(events, 'length', { isRepetition: true })
    return events
  }

  /** Ends the answer because it may have no other token. */
  endHere(): ChatEvent[] {
    return this.#finishWith([], 'length')
  }

  /** Ends the answer because the context has no room for another token. */
  cutShort(): ChatEvent[] {
    return this.#finishWith([], 'length', { isContextFull: true })
  }

  /** Gives out what sampler and reader hold back, and ends the answer. */
  #finishWith(
    events: ChatEvent[],
    reason: 'stop' | 'length',
    cause: Pick<End, 'isContextFull' | 'isRepetition'> = {},
  ): ChatEvent[] {
    const { reader } = this.#options
    const isCut = reason === 'length'
    const rest = [...(isCut ? reader.push(this.sampler.flush()) : []), ...reader.end()]
    const last = this.#toEvents(rest)
    events.push(...last.events)
    if (last.stop !== undefined) return this.#finish(events, { reason: 'stop', stopString: last.stop })
    events.push(...this.#flushText())
    if (isCut) return this.#finish(events, { reason, ...cause })
    return this.#finish(events, { reason: reader.calls > 0 ? 'tool-calls' : 'stop' })
  }

  #finish(events: ChatEvent[], end: End): ChatEvent[] {
    const { kind } = this.#options.reader
    // Those of a call belong to no text.
    if (this.#logprobs.length > 0 && kind !== 'call') {
      events.push(this.#toText(kind === 'reasoning' ? 'reasoning-delta' : 'text-delta', ''))
    }
    events.push({ type: 'choice-finish', choice: this.choice, ...end })
    return events
  }

  /** Stops at the first stop string in the visible text; what comes after it is dropped. */
  #toEvents(deltas: readonly ReplyDelta[]): { events: ChatEvent[]; stop?: string } {
    const events: ChatEvent[] = []
    for (const delta of deltas) {
      if (delta.kind === 'text') {
        const { text, stop } = this.#stops.push(delta.text)
        if (text !== '') events.push(this.#toText('text-delta', text))
        if (stop !== undefined) return { events, stop }
      } else events.push(...this.#flushText(), this.#toEvent(delta))
    }
    return { events }
  }

  #flushText(): ChatEvent[] {
    const held = this.#stops.flush()
    return held === '' ? [] : [this.#toText('text-delta', held)]
  }

  #toEvent(delta: Exclude<ReplyDelta, { kind: 'text' }>): ChatEvent {
    const { choice } = this
    switch (delta.kind) {
      case 'reasoning':
        return this.#toText('reasoning-delta', delta.text)
      case 'call-start':
        this.#logprobs = []
        return { type: 'tool-call-start', choice, index: delta.index, name: delta.name }
      case 'call-arguments':
        return { type: 'tool-call-delta', choice, index: delta.index, argumentsText: delta.text }
      default:
        return unreachable(delta)
    }
  }

  /** Log probabilities wait for the text they belong to and leave with it. */
  #toText(type: 'text-delta' | 'reasoning-delta', text: string): ChatEvent {
    const logprobs = this.#logprobs
    this.#logprobs = []
    return { type, choice: this.choice, text, ...(this.#options.wantsLogprobs ? { logprobs } : {}) }
  }

  #toLogprob(sample: NativeSample, logprob: number): TokenLogprob {
    const alternatives = (sample.alternatives ?? []).map((other) => this.#toAlternative(other.token, other.logprob))
    return { ...this.#toAlternative(sample.token, logprob), alternatives }
  }

  #toAlternative(token: number, logprob: number): TokenAlternative {
    const bytes = this.#options.model.tokenBytes(token, true)
    return { token: new TextDecoder().decode(bytes), bytes: Array.from(bytes), logprob }
  }
}
