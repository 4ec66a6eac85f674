/** Turns the chunks of one answer into events. */
import { type ChatOutput, type ChatRequest, type TokenLogprob, wantsThinking } from '../../../../core/chat.ts'
import type { UpstreamFlavor } from '../../../../core/upstream.ts'
import { UpstreamFailure } from '../../http/failure.ts'
import { type Abilities, abilitiesOf, chatForms } from '../chat-form.ts'
import { sentBeginning } from '../request/server-messages.ts'
import { CallReader, calledCharacters } from './call-reader.ts'
import { readLogprobs, tokenCharactersLimit } from './read-logprobs.ts'
import { RepeatedText } from './repeated-text.ts'
import { deltaOf, parseChunk, type ServerDelta } from './server-chunk.ts'
import { TextReader } from './text-reader.ts'
import { type SpokenPiece, ThinkTags } from './think-tags.ts'
import { type CountedTokens, type CumulativeUsage, UsageReader } from './usage-reader.ts'

export interface ChatReaderOptions {
  /** Number of the choice that this call answers. */
  readonly choice: number
  readonly request: ChatRequest
  readonly flavor: UpstreamFlavor
  readonly abilities?: Partial<Abilities> | undefined
}

type End = Omit<Extract<ChatOutput, { readonly type: 'choice-finish' }>, 'type' | 'choice'>

/** Ends of an answer by the server's reason. Any other reason means that the model ended the answer. */
const ends: Readonly<Record<string, End>> = {
  length: { reason: 'length' },
  max_tokens: { reason: 'length' },
  model_length: { reason: 'length' },
  repetition: { reason: 'length', isRepetition: true },
}

/** Another inferd's `stop_reason` for an answer cut because it repeated itself. */
const repetitionWord = 'repetition_detected'

/** Reasons of servers for giving up an answer. */
const givenUp: ReadonlySet<string> = new Set(['abort', 'aborted', 'cancelled', 'error'])

/** Length in characters above which a piece counts as several tokens. */
const usualTokenCharacters = 16

/**
 * Enforces the rules of `core/chat.ts` on any server's output: calls one after the other, no empty text, no stop
 * string in the text, no thinking if it is off, no call if none is allowed, exactly one end.
 */
export class ChatReader {
  readonly #options: ChatReaderOptions
  readonly #text: TextReader
  readonly #calls: CallReader
  readonly #repeated: RepeatedText
  readonly #tags = new ThinkTags()
  readonly #usage = new UsageReader()
  #stated: CumulativeUsage | undefined
  readonly #mayCall: boolean
  readonly #mayThink: boolean
  #echo: string
  /** White space that may be the end of the thinking, and would then be trimmed. */
  #heldSpace = ''
  #isThinkingBegun = false
  /** True once a chunk of the answer has come. */
  #isBegun = false
  #isFinished = false
  #isDone = false
  #completionTokens = 0
  #reasoningTokens = 0
  #characters = 0

  constructor(options: ChatReaderOptions) {
    const { choice, request, flavor, abilities } = options
    this.#options = options
    const prompt = request.prompts?.[Math.floor((choice * request.prompts.length) / request.choices)]
    const isEchoed = request.echoesPrompt === true
    this.#echo = isEchoed && prompt?.kind === 'text' ? prompt.text : ''
    // An echo of token ids forms one text with the answer, so only the server looks for stop strings there.
    const stop = isEchoed && prompt?.kind === 'tokens' ? [] : request.stop
    this.#text = new TextReader(choice, { stop, topLogprobs: request.topLogprobs })
    this.#mayCall = request.prompts === undefined && request.toolChoice.mode !== 'none'
    this.#mayThink = request.prompts === undefined && wantsThinking(request.reasoning) !== false
    const row = chatForms[flavor]
    this.#repeated = new RepeatedText(row.repeatsContinued ? sentBeginning(request.messages, row) : '')
    this.#calls = new CallReader(choice, !request.parallelToolCalls)
    if (request.prompts !== undefined || abilitiesOf(flavor, abilities).parsesThinking) this.#tags.stop()
  }

  /**
   * True once nothing more needs reading: the server ended the stream, or the answer was cut here. Further chunks are
   * ignored.
   */
  get isDone(): boolean {
    return this.#isDone
  }

  /** True once the choice's `choice-finish` was returned. Only usage may follow. */
  get isFinished(): boolean {
    return this.#isFinished
  }

  /**
   * Counts reported by the server so far. Undefined if there are none or impossible ones. Each report is a new object,
   * even if equal.
   */
  get usage(): CumulativeUsage | undefined {
    return this.#stated
  }

  /** Counts of this reader: tokens with log probabilities, else at least one per piece. */
  get counted(): CountedTokens {
    return { completionTokens: this.#completionTokens, reasoningTokens: this.#reasoningTokens }
  }

  /** Length of the model's whole output so far: text, thinking, names and arguments of calls, returned or not. */
  get characters(): number {
    return this.#characters
  }

  /**
   * Returns the events of the next chunk as sent by the server: JSON text or `[DONE]`. Throws UpstreamFailure:
   * `malformed` for an invalid chunk, `cut` for an answer that the server gave up, `status` for an error in place of a
   * chunk.
   */
  read(data: string): readonly ChatOutput[] {
    if (this.#isDone) return []
    if (data.trim() === '[DONE]') {
      if (!this.#isFinished && !this.#isBegun) throw new UpstreamFailure('cut', 'the stream ended before it began')
      const outputs = this.#isFinished ? [] : this.#finish('stop')
      this.#isDone = true
      return outputs
    }
    const chunk = parseChunk(data)
    if (chunk === undefined) return []
    const counts = this.#usage.note(chunk)
    const delta = this.#isFinished ? undefined : deltaOf(chunk)
    const outputs = delta === undefined ? [] : this.#take(delta)
    if (counts) this.#stated = this.#usage.usage(this.counted)
    return outputs
  }

  /** Throws UpstreamFailure `cut` unless the answer has ended with its stream. */
  requireEnd(): void {
    if (!this.#isFinished) throw new UpstreamFailure('cut', 'the stream ended before the answer did')
  }

  #take(delta: ServerDelta): ChatOutput[] {
    const { finish, stopString } = delta
    if (finish !== undefined && givenUp.has(finish)) {
      throw new UpstreamFailure('cut', `the server gave the answer up: its reason is "${finish}"`)
    }
    const tokens = readLogprobs(delta.logprobs, this.#options.request.topLogprobs ?? 0)
    const pieces = this.#piecesOf(delta, tokens)
    this.#count(delta, pieces, tokens.length)
    const outputs = this.#begin()
    for (const piece of pieces) {
      const stop = this.#speak(piece, outputs)
      if (stop !== undefined) return [...outputs, ...this.#cut({ reason: 'stop', stopString: stop })]
    }
    if (this.#mayCall) {
      for (const call of delta.calls) outputs.push(...this.#text.flush(), ...this.#calls.push(call))
      if (this.#calls.isBeyond) return [...outputs, ...this.#cut({ reason: 'tool-calls' })]
    }
    if (finish !== undefined) outputs.push(...this.#finish(finish, stopString))
    return outputs
  }

  #begin(): ChatOutput[] {
    const text = this.#echo
    this.#echo = ''
    this.#isBegun = true
    return text === '' ? [] : [{ type: 'text-delta', choice: this.#options.choice, text }]
  }

  #piecesOf(delta: ServerDelta, tokens: readonly TokenLogprob[]): readonly SpokenPiece[] {
    const { reasoning, calls, finish } = delta
    const text = this.#repeated.strip(delta.text) + (finish === undefined ? '' : this.#repeated.end())
    const isSilent = text === '' && (reasoning !== '' || calls.length > 0 || finish !== undefined)
    if (tokens.length > 0 || text !== '') this.#text.addTokens(text, tokens, !isSilent)
    if (reasoning === '') return this.#tags.push(text)
    this.#tags.stop()
    return [{ kind: 'reasoning', text: reasoning }, ...this.#tags.push(text)]
  }

  /** Adds text or thinking. Returns the stop string that ends the answer here, if any. */
  #speak({ kind, text }: SpokenPiece, outputs: ChatOutput[]): string | undefined {
    if (kind === 'text') {
      this.#heldSpace = ''
      outputs.push(...this.#calls.pause())
      const said = this.#text.say(text)
      outputs.push(...said.outputs)
      return said.stop
    }
    const thought = this.#withoutEnds(text)
    if (this.#mayThink && thought !== '') {
      outputs.push(...this.#text.flush(), ...this.#calls.pause(), {
        type: 'reasoning-delta',
        choice: this.#options.choice,
        text: thought,
      })
    }
    return undefined
  }

  /** Trims thinking, as for local models. */
  #withoutEnds(text: string): string {
    if (!chatForms[this.#options.flavor].padsThinking) return text
    const all = this.#heldSpace + (this.#isThinkingBegun ? text : text.trimStart())
    const thought = all.trimEnd()
    this.#heldSpace = all.slice(thought.length)
    this.#isThinkingBegun ||= thought !== ''
    return thought
  }

  #count({ reasoning, text, calls }: ServerDelta, pieces: readonly SpokenPiece[], told: number): void {
    const called = calls.reduce((total, call) => total + calledCharacters(call), 0)
    const characters = reasoning.length + text.length + called
    if (characters === 0 && calls.length === 0 && told === 0) return
    const perToken = told > 0 ? tokenCharactersLimit : usualTokenCharacters
    const tokens = Math.max(told, 1, Math.floor(characters / perToken))
    this.#characters += characters
    this.#completionTokens += tokens
    if (pieces.length > 0 && pieces.every(({ kind }) => kind === 'reasoning')) this.#reasoningTokens += tokens
  }

  /** Ends the answer for the server's reason. */
  #finish(reason: string, stopString?: string): ChatOutput[] {
    const outputs = this.#begin()
    for (const piece of this.#tags.end()) {
      const stop = this.#speak(piece, outputs)
      if (stop !== undefined) return [...outputs, ...this.#cut({ reason: 'stop', stopString: stop })]
    }
    outputs.push(...this.#text.flush())
    const end = Object.hasOwn(ends, reason) ? endOf(ends[reason], stopString) : undefined
    outputs.push(...this.#calls.end(end === undefined))
    return [...outputs, this.#end(end ?? this.#ownEnd(stopString))]
  }

  #ownEnd(stop: string | undefined): End {
    if (stop !== undefined && this.#options.request.stop.includes(stop)) return { reason: 'stop', stopString: stop }
    return { reason: this.#calls.hasCalls ? 'tool-calls' : 'stop' }
  }

  /** Ends the answer before the server does. */
  #cut(end: End): ChatOutput[] {
    this.#isDone = true
    return [...this.#text.flush(), ...this.#calls.end(true), this.#end(end)]
  }

  #end(end: End): ChatOutput {
    this.#isFinished = true
    return { type: 'choice-finish', choice: this.#options.choice, ...end }
  }
}

function endOf(end: End | undefined, stop: string | undefined): End | undefined {
  return end?.reason === 'length' && stop === repetitionWord ? { ...end, isRepetition: true } : end
}
