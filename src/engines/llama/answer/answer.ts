/** One choice of a request during generation: its tokens, and the events that its samples become. */
import type { ChatEvent, RepetitionLimit, TokenAlternative, TokenLogprob } from '../../../core/chat.ts'
import { StopMatcher } from '../../shared/messages/stop-matcher.ts'
import { TextTokens } from '../../shared/messages/text-tokens.ts'
import type { NativeModel, NativeSample, NativeSampler, NativeScores } from '../native.ts'
import type { PromptLayout } from '../steps/prompt-layout.ts'
import { LoopGuard } from './loop-guard.ts'
import { toPromptScores } from './prompt-scores.ts'
import type { ReplyDelta, ReplyReader } from './reply-reader.ts'

/** Reader that separates text, thinking and calls. */
export type AnswerReader = Pick<ReplyReader, 'kind' | 'isDone' | 'calls' | 'push' | 'end'>

export interface AnswerOptions {
  readonly choice: number
  readonly prompt: PromptLayout
  /** Most generated tokens. 0 only where the prompt's scores are wanted. */
  readonly maxTokens: number
  /** True if `maxTokens` is the end of the context. */
  readonly isLimitedByContext: boolean
  readonly newSampler: () => NativeSampler
  readonly reader: AnswerReader
  /** Model that renders token bytes for log probabilities. */
  readonly model: Pick<NativeModel, 'tokenBytes'>
  readonly wantsLogprobs: boolean
  /** True to report ids with log probabilities. */
  readonly reportsTokenIds?: boolean | undefined
  /** True to report the log probability of every generated token, even of those without text. */
  readonly reportsAllTokens?: boolean
  /** Number of alternatives per token of the prompt, which is then scored. */
  readonly promptScores?: number | undefined
  /** True to report the token counts so far in events. */
  readonly countsTokens?: boolean | undefined
  /** Text in front of the generated one. Absent if there is none. */
  readonly echo?: string
  /** Stop strings of the request, which apply only to the visible text. */
  readonly stops: readonly string[]
  /** Limit at which a repeating answer ends. Undefined means never. */
  readonly repetitionLimit: RepetitionLimit | undefined
}

/** End of an answer. */
type End = Omit<Extract<ChatEvent, { type: 'choice-finish' }>, 'type' | 'choice'>
type EndCause = Pick<End, 'isContextFull' | 'isRepetition'>

export class Answer {
  readonly choice: number
  readonly prompt: PromptLayout
  /** Units of the prompt, followed by the generated tokens. */
  readonly units: number[]
  /** Pictures of the prompt. */
  readonly runs: PromptLayout['runs']
  /** Number of `units` in the KV cache. */
  decoded = 0
  generatedTokens = 0
  /** Number of places of the prompt whose scores were reported. */
  scoredPlaces = 0
  reasoningTokens = 0
  readonly #options: AnswerOptions
  #sampler: NativeSampler | undefined
  readonly #stops: StopMatcher
  readonly #guard: LoopGuard | undefined
  /** True if the answer only repeats itself. */
  #repeats = false
  /** Undefined if log probabilities are not requested. */
  readonly #textTokens: TextTokens<TokenLogprob> | undefined

  /** Tokens not reported yet. Undefined unless all are to be reported. */
  readonly #unreported: TokenLogprob[] | undefined

  constructor(options: AnswerOptions) {
    this.#options = options
    this.choice = options.choice
    this.prompt = options.prompt
    this.units = Array.from(options.prompt.units)
    this.runs = options.prompt.runs
    this.#stops = new StopMatcher(options.stops)
    if (options.wantsLogprobs) this.#textTokens = new TextTokens()
    if (options.reportsAllTokens === true) this.#unreported = []
    const { repetitionLimit } = options
    if (repetitionLimit !== undefined) this.#guard = new LoopGuard(repetitionLimit, () => this.sampler.grammarPlace())
  }

  /**
   * Sampler, created on first use and freed at the end: it may hold megabytes, and most answers of a request may wait.
   */
  get sampler(): NativeSampler {
    this.#sampler ??= this.#options.newSampler()
    return this.#sampler
  }

  /** Units to decode before the next token can be sampled; at least 1. */
  get undecoded(): number {
    return this.units.length - this.decoded
  }

  /** Number of alternatives per token of the prompt. Undefined if its scores are not wanted, or were all reported. */
  get wantedScores(): number | undefined {
    return this.scoredPlaces < this.prompt.units.length ? this.#options.promptScores : undefined
  }

  /** True if no token follows the prompt. */
  get isPromptOnly(): boolean {
    return this.#options.maxTokens === 0
  }

  /** Part of the prompt for which a cached state may serve: tokens without scores have to be computed. */
  get reusable(): PromptLayout {
    if (this.wantedScores === undefined) return this
    return { units: this.units.slice(0, this.scoredPlaces), runs: this.runs }
  }

  /** True if only one token is undecoded, as opposed to a prompt being processed. */
  get isGenerating(): boolean {
    return this.generatedTokens > 0 && this.undecoded === 1
  }

  /**
   * Number of tokens that can be added so that only the last of them can end the answer by length or repetition. At
   * least 1 while it continues.
   */
  get sampleRoom(): number {
    return Math.min(this.#options.maxTokens - this.generatedTokens, this.#guard?.room ?? Number.POSITIVE_INFINITY)
  }

  /** Takes the token sampled for this answer. The last event is `choice-finish` when the answer is complete. */
  take(sample: NativeSample): ChatEvent[] {
    this.accept(sample)
    return this.tell(sample)
  }

  /** Adds a sampled token. Returns whether the answer continues, unless its text ends it. */
  accept({ token, end }: NativeSample): boolean {
    this.units.push(token)
    this.generatedTokens++
    if (end !== undefined || this.generatedTokens >= this.#options.maxTokens) return false
    this.#repeats = this.#guard?.push(token) === true
    return !this.#repeats
  }

  /**
   * Returns the events of the last accepted token, as `take` does. Uses the sampler only if `accept` returned false.
   */
  tell(sample: NativeSample): ChatEvent[] {
    return this.#counted(this.#tell(sample))
  }

  #tell(sample: NativeSample): ChatEvent[] {
    const { reader, maxTokens, isLimitedByContext } = this.#options
    if (reader.kind === 'reasoning') this.reasoningTokens++
    this.#noteLogprob(sample)
    const { events, stop } = this.#toEvents(reader.push(sample.text))
    if (this.generatedTokens === 1) events.unshift(...this.#echo())
    if (stop !== undefined) return this.#finish(events, { reason: 'stop', stopString: stop })
    if (sample.end !== undefined || reader.isDone) return this.#finishWith(events, 'stop')
    if (this.generatedTokens >= maxTokens) {
      return this.#finishWith(events, 'length', isLimitedByContext ? { isContextFull: true } : {})
    }
    if (this.#repeats) return this.#finishWith(events, 'length', { isRepetition: true })
    return events
  }

  /** Returns the scores of the prompt's next places, up to `end`, as an event. Undefined scores: of place 0 alone. */
  score(end: number, scores: NativeScores | undefined): ChatEvent {
    const { choice, prompt, scoredPlaces: first } = this
    this.scoredPlaces = end
    return toPromptScores({ choice, model: this.#options.model, units: prompt.units, first, end, scores })
  }

  /** Ends the answer because no further token is allowed. */
  endHere(cause: EndCause = {}): ChatEvent[] {
    return this.#counted(this.#finishWith(this.generatedTokens === 0 ? this.#echo() : [], 'length', cause))
  }

  #counted(events: ChatEvent[]): ChatEvent[] {
    const last = events.at(-1)
    if (this.#options.countsTokens !== true || last === undefined) return events
    const tokens = { completionTokens: this.generatedTokens, reasoningTokens: this.reasoningTokens }
    return events.with(-1, { ...last, tokens } as ChatEvent) // it makes no others
  }

  #echo(): ChatEvent[] {
    const { echo = '' } = this.#options
    return echo === '' ? [] : [{ type: 'text-delta', choice: this.choice, text: echo }]
  }

  /** Releases the text that sampler and reader hold back, and ends the answer. */
  #finishWith(events: ChatEvent[], reason: 'stop' | 'length', cause: EndCause = {}): ChatEvent[] {
    const { reader } = this.#options
    const isCut = reason === 'length'
    const held = isCut ? (this.#sampler?.flush() ?? '') : ''
    this.#textTokens?.add(held)
    const last = this.#toEvents([...reader.push(held), ...reader.end()])
    events.push(...last.events)
    if (last.stop !== undefined) return this.#finish(events, { reason: 'stop', stopString: last.stop })
    events.push(...this.#flushText())
    if (isCut) return this.#finish(events, { reason, ...cause })
    return this.#finish(events, { reason: reader.calls > 0 ? 'tool-calls' : 'stop' })
  }

  #finish(events: ChatEvent[], end: End): ChatEvent[] {
    this.#sampler = undefined
    const rest = this.#unreported ?? []
    events.push({ type: 'choice-finish', choice: this.choice, ...end, ...(rest.length > 0 && { logprobs: rest }) })
    return events
  }

  /** Ends at the first stop string in the visible text and drops the text after it. */
  #toEvents(deltas: readonly ReplyDelta[]): { events: ChatEvent[]; stop?: string } {
    const events: ChatEvent[] = []
    for (const delta of deltas) {
      if (delta.kind === 'text') {
        this.#textTokens?.say(delta.text.length, delta.end)
        const { text, stop } = this.#stops.push(delta.text)
        if (text !== '') events.push(this.#toText(text))
        if (stop !== undefined) return { events, stop }
      } else events.push(...this.#flushText(), this.#toEvent(delta))
    }
    if (this.#options.reader.kind === 'call') this.#textTokens?.skipAll()
    return { events }
  }

  #flushText(): ChatEvent[] {
    const held = this.#stops.flush()
    return held === '' ? [] : [this.#toText(held)]
  }

  #toEvent(delta: Exclude<ReplyDelta, { kind: 'text' }>): ChatEvent {
    const { choice } = this
    switch (delta.kind) {
      case 'reasoning':
        this.#textTokens?.skip(delta.end)
        return { type: 'reasoning-delta', choice, text: delta.text }
      case 'call-start':
        return { type: 'tool-call-start', choice, index: delta.index, name: delta.name }
      case 'call-arguments':
        return { type: 'tool-call-delta', choice, index: delta.index, argumentsText: delta.text }
    }
  }

  #toText(text: string): ChatEvent {
    const taken = this.#textTokens?.take(text.length)
    const last = taken?.at(-1)
    const logprobs = (last && this.#unreported?.splice(0, this.#unreported.indexOf(last) + 1)) ?? taken
    return { type: 'text-delta', choice: this.choice, text, ...(logprobs && { logprobs }) }
  }

  /** Records the log probability. The end token and special tokens without text are left out. */
  #noteLogprob(sample: NativeSample): void {
    if (this.#textTokens === undefined) return
    const { token, text, logprob, end } = sample
    const isText = text !== '' || this.#options.model.tokenBytes(token, false).length > 0
    const reported = logprob === undefined ? undefined : this.#toLogprob(sample, logprob)
    if (reported !== undefined) this.#unreported?.push(reported)
    if (reported === undefined || end !== undefined || !isText) this.#textTokens.add(text)
    else this.#textTokens.add(text, reported)
  }

  #toLogprob(sample: NativeSample, logprob: number): TokenLogprob {
    const alternatives = (sample.alternatives ?? []).map((other) => this.#toAlternative(other.token, other.logprob))
    return { ...this.#toAlternative(sample.token, logprob), alternatives }
  }

  #toAlternative(token: number, logprob: number): TokenAlternative {
    const bytes = this.#options.model.tokenBytes(token, true)
    const id = this.#options.reportsTokenIds === true ? { id: token } : {}
    return { token: new TextDecoder().decode(bytes), bytes: Array.from(bytes), logprob, ...id }
  }
}
