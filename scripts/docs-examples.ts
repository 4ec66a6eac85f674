/** A fenced block of a Markdown file. */
export interface CodeBlock {
  readonly language: string
  readonly code: string
  /** Of its first line of code, from 1. */
  readonly line: number
}

/** All fenced blocks of a Markdown text, in order. */
export function codeBlocks(markdown: string): CodeBlock[] {
  return [...markdown.matchAll(/^```(\w*)\n(.*?)^```$/gms)].map(({ index, 1: language = '', 2: code = '' }) => ({
    language,
    code,
    line: markdown.slice(0, index).split('\n').length + 1,
  }))
}
