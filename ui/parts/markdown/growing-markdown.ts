/**
 * Markdown that grows at its end as a model writes it. Finished blocks are lexed once, the last ones on each update.
 */
import { Lexer, type Token, type Tokens } from 'marked'

/** Closed block, or one of the last blocks, which more text can still change. */
export interface Block {
  /** Index among all blocks. */
  readonly index: number
  readonly token: Token | PlainToken
}

/** Text shown as written because it is too long or nested too deeply to lex in reasonable time. */
export interface PlainToken {
  readonly type: 'plain'
  readonly raw: string
}

type Links = Lexer['tokens']['links']

/** Number of last blocks that more text can change or merge, such as a list with its blank lines. */
const openBlocks = 3
/** Most characters of a line that is read as markdown, outside code. */
const maximumLine = 16_000
/** Most characters of blocks without a separator, outside code. */
const maximumOpen = 64_000
/** Most characters of a paragraph that is searched for emphasis and links, which takes quadratic time. */
const maximumInline = 8_000

/** Nesting that is shown as plain text: each level is lexed again, so thousands of them in a line take seconds. */
const deeplyNested = /^(?:[ \t]*(?:>|[-*+]|\d{1,9}[.)])){100}/m

export class GrowingMarkdown {
  /** Finished blocks. Only appended to. */
  readonly closed: Block[] = []
  open: readonly Block[] = []
  /** Number that changes when closed blocks were rebuilt */
  version = 0
  /** Source of the open blocks. */
  #rest = ''
  readonly #links: Links = {}
  /** Unfinished line that is shown as written. */
  #plainLine: string | undefined
  #isChanged = false

  push(text: string): void {
    this.#isChanged = true
    let left = text.replaceAll('\r', '')
    if (this.#plainLine !== undefined) {
      const end = left.indexOf('\n')
      this.#plainLine += end < 0 ? left : left.slice(0, end)
      if (end < 0) return
      this.#close([{ type: 'plain', raw: this.#plainLine }])
      this.#plainLine = undefined
      left = left.slice(end + 1)
    }
    this.#rest += left
  }

  /** Lexes the text pushed since the last update. */
  update(): void {
    if (!this.#isChanged) return
    while (this.#cutOddLine());
    this.#isChanged = false
    const tokens = this.#lex(this.#rest, this.#links)
    const finished = tokens.slice(0, firstOpen(tokens))
    const written = finished.map(({ raw }) => raw).join('')
    // The lexer's tokens do not always add up to the text.
    const isExact = this.#rest.startsWith(written)
    if (isExact) this.#rest = this.#rest.slice(written.length)
    let open = isExact ? tokens.slice(finished.length) : tokens
    if (isExact) this.#close(finished)
    if (this.#rest.length > maximumOpen && open.at(-1)?.type !== 'code') {
      this.#close(open)
      this.#rest = ''
      open = []
    }
    if (this.#plainLine !== undefined) open = [...open, { type: 'plain', raw: this.#plainLine }]
    this.open = open.map((token, offset) => ({ index: this.closed.length + offset, token }))
  }

  /** Ends the text. `text` is all that was pushed. Resolves links whose definitions came later. */
  end(text: string): void {
    this.update()
    this.#close(this.open.map(({ token }) => token))
    this.open = []
    this.#rest = ''
    const isReadable = text.length <= 4 * maximumOpen && !this.closed.some(({ token }) => token.type === 'plain')
    if (Object.keys(this.#links).length === 0 || !isReadable) return
    this.closed.length = 0
    this.version += 1
    this.#close(this.#lex(text.replaceAll('\r', ''), {}))
  }

  #close(tokens: readonly (Token | PlainToken)[]): void {
    for (const token of tokens) {
      this.closed.push({ index: this.closed.length, token })
      // The first definition counts. An unfinished one is ignored.
      if (token.type === 'def' && 'tag' in token) this.#links[token.tag] ??= token as Tokens.Def
    }
  }

  /**
   * Turns the first line that cannot be lexed in time into its own block and closes the blocks before it. Returns
   * whether there was one.
   */
  #cutOddLine(): boolean {
    if (this.#plainLine !== undefined) return false
    for (const [start, line] of oddLines(this.#rest)) {
      const before = this.#rest.slice(0, start)
      if (endsInCode(before)) continue
      this.#close(this.#lex(before, this.#links))
      const after = this.#rest.slice(start + line.length)
      this.#rest = ''
      this.#plainLine = line
      if (after !== '') this.push(after)
      return true
    }
    return false
  }

  #lex(text: string, links: Links): (Token | PlainToken)[] {
    if (text === '') return []
    const lexer = new Lexer({ gfm: true })
    lexer.tokens.links = { ...links }
    try {
      const tokens = lexer.blockTokens(text, lexer.tokens)
      for (const { src, tokens: inner } of lexer.inlineQueue) {
        if (src.length > maximumInline) inner.push({ type: 'text', raw: src, text: src })
        else lexer.inlineTokens(src, inner)
      }
      return tokens
    } catch {
      // The text is nested deeper than the lexer can follow.
      return [{ type: 'plain', raw: text }]
    }
  }
}

/** Returns the index of the first block that more text can change. Empty lines belong to the block before them. */
function firstOpen(tokens: readonly { readonly type: string }[]): number {
  let blocks = 0
  for (let index = tokens.length - 1; index >= 0; index -= 1) {
    if (tokens[index]?.type === 'space') continue
    blocks += 1
    if (blocks === openBlocks) return index
  }
  return 0
}

/** Yields lines that are too long or nested too deeply. */
function* oddLines(text: string): Generator<readonly [start: number, line: string]> {
  if (text.length <= maximumLine && !deeplyNested.test(text)) return
  for (let start = 0; start < text.length; ) {
    const end = text.indexOf('\n', start)
    const line = text.slice(start, end < 0 ? undefined : end)
    if (line.length > maximumLine || deeplyNested.test(line)) yield [start, line]
    start += line.length + 1
  }
}

/** Returns whether a text ends within a fenced code block. */
export function endsInCode(text: string): boolean {
  let fence: string | undefined
  for (const [, mark = '', rest = ''] of text.matchAll(/^[ \t>]*(?:(?:[-*+]|\d+[.)])[ \t]+)?(`{3,}|~{3,})(.*)$/gm)) {
    if (fence === undefined) fence = mark
    else if (mark.startsWith(fence) && rest.trim() === '') fence = undefined
  }
  return fence !== undefined
}
