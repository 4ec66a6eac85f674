/** Words of an answer as a voice should say them. */
import { marked, type Token, type Tokens } from 'marked'
import { decodeEntities } from '../../../parts/markdown/decode-entities.ts'

type Say = (token: never) => string

/** Spoken words by kind of token. Code is left out: nobody wants to hear it. */
const kinds: Readonly<Record<string, Say>> = {
  space: () => '',
  def: () => '',
  hr: () => '',
  html: () => '',
  code: () => '',
  image: ({ text }: Tokens.Image) => text,
  br: () => ' ',
  checkbox: () => '',
  codespan: ({ text }: Tokens.Codespan) => decodeEntities(text),
  escape: ({ text }: Tokens.Escape) => text,
  blockquote: ({ tokens }: Tokens.Blockquote) => lines(tokens, said),
  list: ({ items }: Tokens.List) => items.map(({ tokens }) => lines(tokens, (each) => sentence(said(each)))).join('\n'),
  table: ({ header, rows }: Tokens.Table) =>
    [header, ...rows].map((row) => sentence(row.map(({ tokens }) => said(tokens)).join(', '))).join('\n'),
  heading: ({ tokens }: Tokens.Heading) => sentence(said(tokens)),
}

/** Returns the text of an answer in markdown without marks, code and addresses: a paragraph a block. */
export function spokenText(markdown: string): string {
  return lines(marked.lexer(markdown), said, '\n\n')
}

function lines(tokens: readonly Token[], say: (tokens: readonly Token[]) => string, between = '\n'): string {
  return tokens
    .map((token) => say([token]).trim())
    .filter((line) => line !== '')
    .join(between)
}

function said(tokens: readonly Token[] = []): string {
  return tokens.map(sayOf).join('')
}

function sayOf(token: Token): string {
  const say = kinds[token.type]
  if (say !== undefined) return say(token as never)
  if ('tokens' in token && token.tokens !== undefined) return said(token.tokens)
  return 'text' in token ? decodeEntities(String(token.text)) : ''
}

/** Ends a line with a stop, so that a voice pauses after it. */
function sentence(text: string): string {
  const trimmed = text.trim()
  return trimmed === '' || /[.!?:;,…]$/.test(trimmed) ? trimmed : `${trimmed}.`
}
