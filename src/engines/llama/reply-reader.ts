/**
 * Splits an answer into thinking and visible text while it is being generated. What begins and ends a thinking block
 * is llama.cpp's chat parser's knowledge; but parsing the whole answer again for every token would cost its square. So
 * the parser is asked only around the borders (before the visible text begins), and in between text passes through.
 */
import type { NativeChatFormat } from './native.ts'

export interface ReplyDelta {
  readonly kind: 'text' | 'reasoning'
  readonly text: string
}

type ReplyFormat = Pick<NativeChatFormat, 'parse' | 'thinkingEndTags'>

export class ReplyReader {
  readonly #format: ReplyFormat
  /** `border`: ask the parser. `reasoning`: inside a thinking block. `text`: thinking is over. */
  #phase: 'border' | 'reasoning' | 'text' = 'border'
  /** Everything received so far. Not kept once the phase is `text`. */
  #raw = ''
  #reasoning = ''
  #text = ''
  /** Length of the text that the prompt already holds. */
  readonly #givenText: number
  /** Thinking that may turn out to be a closing tag, or the white space before one. */
  #held = ''

  constructor(format: ReplyFormat) {
    this.#format = format
    // When a last assistant message is continued the parser gives it back too; the caller has it already.
    const given = this.#tryParse(true)
    this.#text = given.content
    this.#reasoning = given.reasoning
    this.#givenText = given.content.length
  }

  /** Which kind of output a token generated now belongs to. */
  get kind(): 'text' | 'reasoning' {
    return this.#phase === 'reasoning' ? 'reasoning' : 'text'
  }

  push(piece: string): ReplyDelta[] {
    if (piece === '') return []
    if (this.#phase === 'text') return [{ kind: 'text', text: piece }]
    this.#raw += piece
    if (this.#phase === 'border') return this.#parse(true)
    this.#held += piece
    if (this.#format.thinkingEndTags.some((tag) => this.#held.includes(tag))) {
      this.#phase = 'border'
      this.#held = ''
      return this.#parse(true)
    }
    const safe = this.#held.slice(0, this.#held.length - heldBackLength(this.#held, this.#format.thinkingEndTags))
    this.#held = this.#held.slice(safe.length)
    return this.#reasoningDelta(safe)
  }

  /** The answer is over: gives out what was held back. A block that never closed is all thinking. */
  end(): ReplyDelta[] {
    if (this.#phase === 'text') return []
    if (this.#phase === 'reasoning') return this.#reasoningDelta(this.#held)
    return this.#raw === '' ? [] : this.#parse(false)
  }

  #parse(isPartial: boolean): ReplyDelta[] {
    const message = this.#tryParse(isPartial)
    const reasoning = message.reasoning.slice(this.#reasoning.length)
    const text = message.content.slice(this.#text.length)
    const deltas = this.#reasoningDelta(reasoning)
    if (text !== '') {
      deltas.push({ kind: 'text', text })
      this.#text = message.content
    }
    const written = message.content.slice(this.#givenText)
    if (written !== '' && this.#raw.endsWith(written)) {
      this.#phase = 'text'
      this.#raw = ''
    } else if (message.content === '' && message.reasoning !== '') this.#enterReasoning(message.reasoning)
    return deltas
  }

  /** From here thinking passes through, if nothing but held-back text follows what the parser has read of it. */
  #enterReasoning(reasoning: string): void {
    const start = this.#raw.lastIndexOf(reasoning)
    const rest = this.#raw.slice(start + reasoning.length)
    if (start < 0 || heldBackLength(rest, this.#format.thinkingEndTags) < rest.length) return
    this.#phase = 'reasoning'
    this.#held = rest
  }

  #tryParse(isPartial: boolean): { readonly content: string; readonly reasoning: string } {
    try {
      return this.#format.parse(this.#raw, isPartial)
    } catch {
      // The model did not keep to its own format: what it wrote is still the answer.
      return { content: this.#raw, reasoning: '' }
    }
  }

  #reasoningDelta(text: string): ReplyDelta[] {
    if (text === '') return []
    this.#reasoning += text
    return [{ kind: 'reasoning', text }]
  }
}

/** Length of the end of `text` that may be white space and the beginning of a tag. */
function heldBackLength(text: string, tags: readonly string[]): number {
  let tagStart = text.length
  for (const tag of tags) {
    for (let length = Math.min(tag.length - 1, text.length); length > 0; length--) {
      if (!text.endsWith(tag.slice(0, length))) continue
      tagStart = Math.min(tagStart, text.length - length)
      break
    }
  }
  return text.length - text.slice(0, tagStart).trimEnd().length
}
