/**
 * Splits an answer into thinking, visible text and tool calls while it is being generated. How a model writes these is
 * llama.cpp's chat parser's knowledge. It is asked
 * 1. not at all while text or thinking goes on with nothing in it that may begin anything else,
 * 2. for every piece otherwise, but never about much: what has been read and given out is taken out of what it reads
 *    again (`shorten-reply.ts`). Where that cannot be done it is asked the less often the longer the answer is.
 * So an answer costs what its length is, however long. What was given out is never taken back.
 */

import type { NativeChatFormat, NativeParsedMessage } from '../native.ts'
import { thinkingInPrompt } from '../prompt/thinking.ts'
import { jsonProgress } from './json-progress.ts'
import { shortenReply } from './shorten-reply.ts'
import { behindThinking, withTextMark } from './text-mark.ts'

type Spoken = 'text' | 'reasoning'

export type ReplyDelta =
  /** `end`: where in the whole answer it ends, in characters. */
  | { readonly [Kind in Spoken]: { readonly kind: Kind; readonly text: string; readonly end: number } }[Spoken]
  | { readonly kind: 'call-start'; readonly index: number; readonly name: string }
  | { readonly kind: 'call-arguments'; readonly index: number; readonly text: string }

export type ReplyFormat = Pick<
  NativeChatFormat,
  'parse' | 'generationPrompt' | 'thinkingStartTag' | 'thinkingEndTags' | 'preservedTokens' | 'grammarTriggers'
>

/** What the parser reads is shortened when it is longer than this, in characters. */
const shortCharacters = 1024

/** Above this the parser is asked only for every n-th piece, n growing with the length, up to a limit. */
const charactersPerSkippedPiece = 8192
const mostSkippedPieces = 31

/** What text that is not of the format may be cut into before it is given out whole. */
const mostResumptions = 64

export class ReplyReader {
  /** Which kind of output a token generated now belongs to. */
  kind: Spoken | 'call'
  /** The only call that was asked for is complete. */
  isDone = false
  readonly #format: ReplyFormat
  readonly #isSingleCall: boolean
  /** May begin something that is neither text nor thinking. */
  readonly #suspicious: RegExp
  /** Length of the answer so far. */
  #received = 0
  /** What the parser reads: the answer so far, without what was taken out of it. */
  #raw = ''
  /** Length of `#raw` that was read as text or thinking. */
  #readLength = 0
  /** Of what the parser reads in `#raw`, so much has been given out. */
  readonly #given: Record<Spoken, number>
  readonly #givenArguments: number[] = []
  /** White space in front of thinking and text is no part of them. */
  #isTextBegun: boolean
  #isThinkingBegun = false
  /** White space at the end of thinking, given out when more thinking follows. */
  #heldSpace = ''
  /** Text or thinking goes on: the parser holds nothing back. */
  #passes = false
  /** There is no text yet, and no mark in front of it was missing. */
  #mayLackMark = true
  /** The answer has left its format: the rest is text. */
  #isPlain = false
  #shortenAt = shortCharacters
  #skippedPieces = 0

  /** `isSingleCall`: nothing is read behind the first call. */
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

  /** The answer is over: gives out what was held back. A block of thinking that never closed is all thinking. */
  end(): ReplyDelta[] {
    if (this.#isPlain || this.isDone || this.#raw === '') return []
    const deltas = this.#read()
    if (this.#isPlain || this.isDone || this.kind === 'call') return deltas
    return this.#format.parse(this.#raw).isComplete ? deltas : [...deltas, ...this.#heldText()]
  }

  /** What looked like the beginning of a call or a tag, and is not. */
  #heldText(): ReplyDelta[] {
    const held = this.#raw.slice(this.#readLength)
    const marks = [...this.#format.preservedTokens, ...this.#format.grammarTriggers.map(({ value }) => value)]
    if (held === '' || marks.some((mark) => held.includes(mark))) return []
    return this.kind === 'reasoning' ? this.#think(held, this.#received) : this.#say(held, this.#received)
  }

  /** Text that needs no parser. */
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

  /** Gives out what a reading holds beyond the last one. */
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

  /** Where in the answer a text ends that this reading gives out: where the reading ends, or before a call or the like. */
  #endOf(text: string, { last }: NativeParsedMessage): number {
    const end = last?.end ?? 0
    if (this.#raw.slice(0, Math.max(0, end)).endsWith(text)) return this.#toAnswer(end)
    const at = this.#raw.indexOf(text, this.#readLength)
    return this.#toAnswer(at < 0 ? this.#raw.length : at + text.length)
  }

  /** From a place in `#raw`, of which only the end is surely that of the answer. */
  #toAnswer(end: number): number {
    return this.#received - (this.#raw.length - end)
  }

  /** All of the answer was read, and what was read last is the end of the text or thinking as it stands. */
  #holdsNothing({ content, reasoning, last }: NativeParsedMessage): boolean {
    if (last === undefined || last.end !== this.#raw.length) return false
    const piece = this.#raw.slice(Math.max(0, last.start), last.end)
    return piece !== '' && (last.kind === 'text' ? content : reasoning).endsWith(piece)
  }

  /** Arguments that have been read never change again, they only go on. */
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
   * The model did not keep to its own format: what it wrote is still the answer. Text that was held back because it
   * looked like the beginning of something is given out up to where something else may begin, and reading goes on there.
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

/** The first characters of all marks; those that marks often begin with where not all are known. */
function suspiciousCharacters(format: ReplyFormat): RegExp {
  const words = format.grammarTriggers.flatMap(({ type, value }) => (type === 'word' ? [value] : []))
  const marks = [...words, ...format.preservedTokens, format.thinkingStartTag, ...format.thinkingEndTags]
  const first = marks.map((mark) => mark.trimStart().slice(0, 1)).filter((character) => character !== '')
  const isUnclear = words.length === 0 || words.length < format.grammarTriggers.length
  const all = new Set([...first, ...(isUnclear ? ['<', '>', '[', '{'] : [])])
  return new RegExp(`[${[...all].map((character) => character.replace(/[\]\\^-]/, '\\$&')).join('')}]`)
}
