/**
 * Splits an answer into thinking, visible text and tool calls during generation. llama.cpp's chat parser knows the
 * model's format. It is called
 * 1. never while text or thinking continues without anything that may begin something else,
 * 2. for every piece otherwise, on a short text: parts already returned are removed from it (`shorten-reply.ts`). If
 * that is impossible, calls become rarer as the answer grows.
 * The total cost is linear in the length of the answer. Returned output is never revised.
 */
import type { NativeChatFormat, NativeParsedMessage } from '../native.ts'
import { thinkingInPrompt } from '../prompt/thinking.ts'
import type { AnswerReader } from './answer.ts'
import { jsonProgress } from './json-progress.ts'
import { shortenReply } from './shorten-reply.ts'
import { behindThinking, withTextMark } from './text-mark.ts'

type Spoken = 'text' | 'reasoning'

export type ReplyDelta =
  /** `end` is the index in the whole answer after the text, in characters. */
  | { readonly [Kind in Spoken]: { readonly kind: Kind; readonly text: string; readonly end: number } }[Spoken]
  | { readonly kind: 'call-start'; readonly index: number; readonly name: string }
  | { readonly kind: 'call-arguments'; readonly index: number; readonly text: string }

export type ReplyFormat = Pick<
  NativeChatFormat,
  'parse' | 'generationPrompt' | 'thinkingStartTag' | 'thinkingEndTags' | 'preservedTokens' | 'grammarTriggers'
>

/** Length in characters above which the parser's input is shortened. */
const shortCharacters = 1024

/**
 * Characters per skipped piece. Above this length the parser is called only for every n-th piece; n grows with the
 * length, up to a limit.
 */
const charactersPerSkippedPiece = 8192
const mostSkippedPieces = 31

/** Most pieces of text outside the format that are read one by one; the rest is returned as text. */
const mostResumptions = 64

export class ReplyReader {
  /** Kind of output that the next token belongs to. */
  kind: Spoken | 'call'
  /** True once the only requested call is complete. */
  isDone = false
  readonly #format: ReplyFormat
  readonly #isSingleCall: boolean
  /** Matches characters that may begin something other than text or thinking. */
  readonly #suspicious: RegExp
  /** Length of the answer so far. */
  #received = 0
  /** Input of the parser: the answer so far without the removed parts. */
  #raw = ''
  /** Length of `#raw` that was read as text or thinking. */
  #readLength = 0
  /** Returned characters of the parser's text and thinking for `#raw`. */
  readonly #given: Record<Spoken, number>
  readonly #givenArguments: number[] = []
  /** False until text has begun. White space in front of it is dropped. */
  #isTextBegun: boolean
  #isThinkingBegun = false
  /** White space at the end of thinking, returned if more thinking follows. */
  #heldSpace = ''
  /** True while text or thinking continues without the parser holding anything back. */
  #passes = false
  /** True until there is text, or a missing mark in front of it was found. */
  #mayLackMark = true
  /** True once the answer has left its format: the rest is text. */
  #isPlain = false
  #shortenAt = shortCharacters
  #skippedPieces = 0

  /** `isSingleCall` ignores everything after the first call. */
  constructor(format: ReplyFormat, { isSingleCall = false } = {}) {
    this.#format = format
    this.#isSingleCall = isSingleCall
    this.#suspicious = suspiciousCharacters(format)
    this.kind = thinkingInPrompt(format) === 'open' ? 'reasoning' : 'text'
    // When a last assistant message is continued the parser gives it back too; the caller has it already.
    const { content, reasoning } = format.parse('')
    this.#given = { text: content.length, reasoning: reasoning.length }
    this.#isTextBegun = format.thinkingStartTag === '' || content !== ''
  }

  get calls(): number {
    return this.#givenArguments.length
  }

  push(piece: string): ReplyDelta[] {
    if (piece === '' || this.isDone) return []
    this.#received += piece.length
    if (this.#isPlain) return [{ kind: 'text', text: piece, end: this.#received }]
    this.#raw += piece
    const isLong = this.#raw.length > this.#shortenAt
    if (this.#passes && !isLong && !this.#suspicious.test(piece)) return this.#pass(piece)
    this.#passes = false
    if (this.#skippedPieces < this.#raw.length / charactersPerSkippedPiece - 1) {
      this.#skippedPieces++
      if (this.#skippedPieces <= mostSkippedPieces) return []
    }
    return this.#read()
  }

  /** Ends the answer and returns the held text. An unclosed block of thinking is all thinking. */
  end(): ReplyDelta[] {
    if (this.#isPlain || this.isDone || this.#raw === '') return []
    const deltas = this.#read()
    if (this.#isPlain || this.isDone || this.kind === 'call') return deltas
    return this.#format.parse(this.#raw).isComplete ? deltas : [...deltas, ...this.#heldText()]
  }

  /** Returns text that looked like the beginning of a call or a tag, but is not. */
  #heldText(): ReplyDelta[] {
    const held = this.#raw.slice(this.#readLength)
    const marks = [...this.#format.preservedTokens, ...this.#format.grammarTriggers.map(({ value }) => value)]
    if (held === '' || marks.some((mark) => held.includes(mark))) return []
    return this.kind === 'reasoning' ? this.#think(held, this.#received) : this.#say(held, this.#received)
  }

  /** Returns text that needs no parser. */
  #pass(piece: string): ReplyDelta[] {
    this.#readLength = this.#raw.length
    if (this.kind === 'reasoning') {
      this.#given.reasoning += piece.length
      return this.#think(piece, this.#received)
    }
    this.#given.text += piece.length
    return this.#say(piece, this.#received)
  }

  #read(): ReplyDelta[] {
    this.#skippedPieces = 0
    const message = this.#format.parse(this.#raw)
    if (message.fits) return this.#take(message)
    const marked = this.#mayLackMark ? withTextMark(this.#raw, this.#readLength, this.#format) : undefined
    if (marked === undefined) return this.#resume()
    this.#raw = marked
    const read = this.#format.parse(marked)
    return read.fits ? this.#take(read) : []
  }

  /** Returns the output that is new since the last reading. */
  #take(message: NativeParsedMessage): ReplyDelta[] {
    const reasoning = message.reasoning.slice(this.#given.reasoning)
    const text = message.content.slice(this.#given.text)
    this.#given.reasoning += reasoning.length
    this.#given.text += text.length
    const spoken = this.#think(reasoning, this.#endOf(reasoning, message))
    if (text !== '') {
      spoken.push(...this.#say(text, this.#endOf(text, message)))
      this.#enter('text')
    } else if (reasoning !== '') this.#enter('reasoning')
    const called = this.#callDeltas(message)
    const { last } = message
    const speaks = last !== undefined && (last.kind === 'text' || last.kind === 'reasoning')
    if (speaks) this.#readLength = Math.max(this.#readLength, last.end)
    this.#passes = speaks && last.kind === this.kind && this.#holdsNothing(message)
    this.isDone = this.#isSingleCall && jsonProgress(message.toolCalls[0]?.arguments ?? '').isClosed
    if (this.#raw.length > this.#shortenAt) this.#shorten(message)
    return speaks && message.toolCalls.length > 0 ? [...called, ...spoken] : [...spoken, ...called]
  }

  /**
   * Returns the index in the answer where a text of this reading ends: the end of the reading, or the beginning of a
   * call or the like.
   */
  #endOf(text: string, { last }: NativeParsedMessage): number {
    const end = last?.end ?? 0
    if (this.#raw.slice(0, Math.max(0, end)).endsWith(text)) return this.#toAnswer(end)
    const at = this.#raw.indexOf(text, this.#readLength)
    return this.#toAnswer(at < 0 ? this.#raw.length : at + text.length)
  }

  /** Converts an index in `#raw`, which matches the answer only at its end. */
  #toAnswer(end: number): number {
    return this.#received - (this.#raw.length - end)
  }

  /** Returns whether the whole answer was read and its end is text or thinking. */
  #holdsNothing({ content, reasoning, last }: NativeParsedMessage): boolean {
    if (last === undefined || last.end !== this.#raw.length) return false
    const piece = this.#raw.slice(Math.max(0, last.start), last.end)
    return piece !== '' && (last.kind === 'text' ? content : reasoning).endsWith(piece)
  }

  /** Returns the growth of the calls. Arguments that were read never change again, they only grow. */
  #callDeltas(message: NativeParsedMessage): ReplyDelta[] {
    const deltas: ReplyDelta[] = []
    const calls = this.#isSingleCall ? message.toolCalls.slice(0, 1) : message.toolCalls
    calls.forEach((call, index) => {
      if (index === this.calls) {
        deltas.push({ kind: 'call-start', index, name: call.name })
        this.#givenArguments.push(0)
        this.#enter('call')
      }
      const text = call.arguments.slice(this.#givenArguments[index])
      if (text === '') return
      deltas.push({ kind: 'call-arguments', index, text })
      this.#givenArguments[index] = (this.#givenArguments[index] ?? 0) + text.length
      this.#enter('call')
    })
    return deltas
  }

  #shorten(message: NativeParsedMessage): void {
    const shorter = shortenReply({ raw: this.#raw, message }, (raw) => this.#format.parse(raw))
    if (shorter === undefined) {
      this.#shortenAt = this.#raw.length * 2
      return
    }
    const removed = this.#raw.length - shorter.raw.length
    this.#readLength = Math.max(0, this.#readLength - removed)
    this.#given.text -= message.content.length - shorter.message.content.length
    this.#given.reasoning -= message.reasoning.length - shorter.message.reasoning.length
    message.toolCalls.forEach((call, index) => {
      const given = this.#givenArguments[index]
      const other = shorter.message.toolCalls[index]
      if (given === undefined || other === undefined) return
      this.#givenArguments[index] = given - (call.arguments.length - other.arguments.length)
    })
    this.#raw = shorter.raw
    this.#shortenAt = Math.max(shortCharacters, 2 * this.#raw.length)
  }

  /**
   * Recovers after the model left its own format: what it wrote is still the answer. Held text is returned up to the
   * next possible beginning of something else, where reading resumes.
   */
  #resume(): ReplyDelta[] {
    const deltas: ReplyDelta[] = []
    if (this.kind === 'reasoning') {
      this.#readLength = behindThinking(this.#raw, this.#readLength, this.#format) ?? this.#readLength
    }
    for (let attempt = 0; attempt < mostResumptions && this.calls === 0; attempt++) {
      const held = this.#raw.slice(this.#readLength)
      if (held === '') break
      const next = held.slice(1).search(this.#suspicious)
      const released = next < 0 ? held : held.slice(0, next + 1)
      deltas.push(...this.#say(released, this.#toAnswer(this.#readLength + released.length)))
      this.#enter('text')
      this.#raw = this.#raw.slice(0, this.#readLength) + held.slice(released.length)
      const message = this.#format.parse(this.#raw)
      if (message.fits) return [...deltas, ...this.#take(message)]
    }
    this.#isPlain = true
    const rest = this.#raw.slice(this.#readLength)
    this.#enter('text')
    return [...deltas, ...this.#say(rest, this.#received)]
  }

  #enter(kind: Spoken | 'call'): void {
    this.kind = kind
    if (kind === 'reasoning') return
    this.#mayLackMark = false
    this.#heldSpace = ''
  }

  #say(text: string, end: number): ReplyDelta[] {
    const said = this.#isTextBegun ? text : text.trimStart()
    if (said === '') return []
    this.#isTextBegun = true
    return [{ kind: 'text', text: said, end }]
  }

  #think(text: string, end: number): ReplyDelta[] {
    const all = this.#heldSpace + (this.#isThinkingBegun ? text : text.trimStart())
    const said = all.trimEnd()
    this.#heldSpace = all.slice(said.length)
    if (said === '') return []
    this.#isThinkingBegun = true
    return [{ kind: 'reasoning', text: said, end }]
  }
}

/** Returns a pattern of the first characters of all marks, or of common ones if not all are known. */
function suspiciousCharacters(format: ReplyFormat): RegExp {
  const words = format.grammarTriggers.flatMap(({ type, value }) => (type === 'word' ? [value] : []))
  const marks = [...words, ...format.preservedTokens, format.thinkingStartTag, ...format.thinkingEndTags]
  const first = marks.map((mark) => mark.trimStart().slice(0, 1)).filter((character) => character !== '')
  const isUnclear = words.length === 0 || words.length < format.grammarTriggers.length
  const all = new Set([...first, ...(isUnclear ? ['<', '>', '[', '{'] : [])])
  return new RegExp(`[${[...all].map((character) => character.replace(/[\]\\^-]/, '\\$&')).join('')}]`)
}

/** Reads answers to raw prompts: they have no format, and all of them is text. */
export class PlainReader implements AnswerReader {
  readonly kind = 'text'
  readonly isDone = false
  readonly calls = 0
  #received = 0

  push(piece: string): ReplyDelta[] {
    if (piece === '') return []
    this.#received += piece.length
    return [{ kind: 'text', text: piece, end: this.#received }]
  }

  end(): ReplyDelta[] {
    return []
  }
}
