/** Markdown for a terminal, word by word as an answer arrives. */
import { printable } from '../../core/printable.ts'
import { coloured, faint, inline, safeReferences, stableLength, styled } from './styled-words.ts'
import { WordWrap } from './word-wrap.ts'

/** Beginning of a line: indentation, and the marks of lists and quotes. */
const lineStart = /^(\s*)((?:>\s?)*)(?:([-*+])(\s+)(?:\[([ xX])\]\s+)?|(\d{1,9}[.)])(\s+))?/
/** Beginning of a line that may still become a mark: its first word is not complete. */
const undecided =
  /^\s*(?:[>\-*+_=#|`~]|\d{1,9}[.)]?)[^\sA-Za-z]*$|^\s*$|^\s*(?:>\s*)*(?:[-*+]|\d{1,9}[.)])\s*(?:\[[ xX]?\]?\s*)?$/
const wholeLine = /^\s*(?:#{1,6}\s|\||[-*_](?:\s*[-*_]){2,}\s*$)/
const fence = /^\s*(`{3,}|~{3,})\s*([^\s`]*)/

export class MarkdownStream {
  readonly #width: () => number
  readonly #wrap: WordWrap
  /** Rest of the current line that is not shown yet. */
  #line = ''
  /** True once the beginning of the current line is shown. */
  #isInLine = false
  #hang = ''
  #fence: { readonly marks: string; readonly language: string } | undefined
  #table = ''

  /** `width` returns the columns of the terminal, which can change. */
  constructor(width: () => number) {
    this.#width = width
    this.#wrap = new WordWrap(width)
  }

  /** Returns the part that can be shown after the next piece of an answer. */
  add(piece: string): string {
    const [first = '', ...others] = piece.split('\n')
    this.#line += first
    let shown = ''
    for (const line of others) {
      shown += this.#endLine()
      this.#line = line
    }
    return shown + this.#begunLine()
  }

  /** Returns the rest of the answer, which ends with a line end. */
  end(): string {
    const rest = this.#line === '' && !this.#isInLine ? '' : this.#endLine()
    return rest + this.#endTable()
  }

  /** Shows a line whose end has come. */
  #endLine(): string {
    const line = printable(this.#line)
    this.#line = ''
    if (this.#isInLine) {
      this.#isInLine = false
      return this.#wrap.write(`${inline(line)}\n`, this.#hang)
    }
    if (this.#fence !== undefined) return this.#codeLine(line, this.#fence)
    if (/^\s*\|/.test(line)) {
      this.#table += `${line.trim()}\n`
      return ''
    }
    const table = this.#endTable()
    const [, marks, language = ''] = fence.exec(line) ?? []
    if (marks !== undefined) {
      this.#fence = { marks, language }
      return `${table}${language === '' ? '' : this.#wrap.verbatim(`  ${faint(language)}\n`)}`
    }
    return table + this.#textLine(line)
  }

  #textLine(line: string): string {
    const heading = /^\s*#{1,6}\s+(.*?)\s*#*$/.exec(line)?.[1]
    if (heading !== undefined) return this.#wrap.write(`${styled('heading', inline(heading))}\n`)
    if (/^\s*([-*_])(?:\s*\1){2,}\s*$/.test(line)) return this.#wrap.verbatim(`${faint('─'.repeat(this.#width()))}\n`)
    const rest = this.#beginLine(line)
    return rest.shown + this.#wrap.write(`${inline(rest.text)}\n`, this.#hang)
  }

  #codeLine(line: string, { marks, language }: { readonly marks: string; readonly language: string }): string {
    if (line.trim().startsWith(marks) && line.trim().replaceAll(marks.slice(0, 1), '') === '') {
      this.#fence = undefined
      return ''
    }
    return this.#wrap.verbatim(`  ${coloured(line, language)}\n`)
  }

  #endTable(): string {
    const table = this.#table
    this.#table = ''
    if (table === '') return ''
    return this.#wrap.verbatim(Bun.markdown.ansi(safeReferences(table), { columns: this.#width() }))
  }

  /** Shows the words of an unfinished line that no later word can change. */
  #begunLine(): string {
    if (this.#fence !== undefined || this.#table !== '') return ''
    let shown = ''
    if (!this.#isInLine) {
      if (undecided.test(this.#line) || wholeLine.test(this.#line) || /^\s*(`{3}|~{3})/.test(this.#line)) return ''
      const begun = this.#beginLine(printable(this.#line))
      this.#isInLine = true
      this.#line = begun.text
      shown = begun.shown
    }
    const length = stableLength(this.#line)
    const stable = this.#line.slice(0, length)
    this.#line = this.#line.slice(length)
    return shown + this.#wrap.write(inline(printable(stable)), this.#hang)
  }

  /** Shows the marks of a line's beginning. Returns the text after them. */
  #beginLine(line: string): { readonly shown: string; readonly text: string } {
    const [all = '', indent = '', quotes = '', bullet, , box, number] = lineStart.exec(line) ?? []
    const bar = quotes === '' ? '' : `${styled('faint', '│')} `
    const item = bullet === undefined ? number : ({ undefined: '•', ' ': '☐' }[String(box)] ?? '☑')
    const marks = item === undefined ? '' : `${styled('mark', item)} `
    this.#hang = ' '.repeat(indent.length) + bar + ' '.repeat(Bun.stringWidth(marks))
    return { shown: this.#wrap.write(`${indent}${bar}${marks}`), text: line.slice(all.length) }
  }
}
