/** One choice of one request while it is generated: its tokens, and the events its samples become. */
import type { ChatEvent, FinishReason, TokenAlternative, TokenLogprob } from '../../core/chat.ts'
import type { NativeModel, NativeSample, NativeSampler } from './native.ts'
import type { ReplyDelta, ReplyReader } from './reply-reader.ts'

export interface AnswerOptions {
  readonly choice: number
  readonly prompt: ArrayLike<number>
  /** Most tokens to generate. */
  readonly maxTokens: number
  readonly sampler: NativeSampler
  readonly reader: ReplyReader
  /** Renders token bytes for log probabilities. */
  readonly model: Pick<NativeModel, 'tokenBytes'>
  readonly wantsLogprobs: boolean
  /**
   * Stop strings that count in the visible text only: the sampler does not know them yet. Empty when it does, since no
   * thinking is to be expected.
   */
  readonly stopsAfterThinking: readonly string[]
}

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
  #logprobs: TokenLogprob[] = []
  #awaitsText: boolean

  constructor(options: AnswerOptions) {
    this.#options = options
    this.choice = options.choice
    this.sampler = options.sampler
    this.tokens = Array.from(options.prompt)
    this.#awaitsText = options.stopsAfterThinking.length > 0
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
    this.tokens.push(sample.token)
    this.generatedTokens++
    if (this.#options.reader.kind === 'reasoning') this.reasoningTokens++
    if (sample.logprob !== undefined && sample.end === undefined)
      this.#logprobs.push(this.#toLogprob(sample, sample.logprob))
    const deltas = this.#options.reader.push(sample.text)
    const isStopped = this.#stopInFirstText(deltas)
    if (sample.end !== undefined || isStopped) return this.#finish(deltas, 'stop')
    if (this.generatedTokens >= this.#options.maxTokens) {
      deltas.push(...this.#options.reader.push(this.sampler.flush()))
      return this.#finish(deltas, 'length')
    }
    return this.#toEvents(deltas)
  }

  /** Ends the answer because there is no room for another token. */
  cutShort(): ChatEvent[] {
    return this.#finish(this.#options.reader.push(this.sampler.flush()), 'length')
  }

  /** Where the visible text begins its stop strings begin to count, in the piece that begins it too. */
  #stopInFirstText(deltas: ReplyDelta[]): boolean {
    const first = deltas.findIndex((delta) => delta.kind === 'text')
    if (!this.#awaitsText || first < 0) return false
    this.#awaitsText = false
    const stops = this.#options.stopsAfterThinking
    this.sampler.setStops(stops)
    const text = deltas
      .slice(first)
      .map((delta) => delta.text)
      .join('')
    const end = Math.min(...stops.map((stop) => text.indexOf(stop)).filter((index) => index >= 0))
    if (end === Number.POSITIVE_INFINITY) return false
    deltas.splice(first, deltas.length - first, { kind: 'text', text: text.slice(0, end) })
    return true
  }

  #finish(deltas: ReplyDelta[], reason: FinishReason): ChatEvent[] {
    const events = this.#toEvents([...deltas, ...this.#options.reader.end()])
    if (this.#logprobs.length > 0) events.push(...this.#toEvents([{ kind: this.#options.reader.kind, text: '' }]))
    events.push({ type: 'choice-finish', choice: this.choice, reason })
    return events
  }

  /** Log probabilities wait for the text they belong to and leave with it. */
  #toEvents(deltas: readonly ReplyDelta[]): ChatEvent[] {
    return deltas.map(({ kind, text }) => {
      const logprobs = this.#logprobs
      this.#logprobs = []
      const type = kind === 'reasoning' ? 'reasoning-delta' : 'text-delta'
      return { type, choice: this.choice, text, ...(this.#options.wantsLogprobs ? { logprobs } : {}) }
    })
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
