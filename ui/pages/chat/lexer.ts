/** The lexer of markdown, the larger part of the chat: loaded apart. */
import type { GrowingMarkdown } from '../../parts/markdown/growing-markdown.ts'

type DocumentClass = typeof GrowingMarkdown

let loaded: DocumentClass | undefined

/** Returns the lexer if it was loaded before, so that answers need not be drawn twice. */
export function loadedLexer(): DocumentClass | undefined {
  return loaded
}

export async function loadLexer(): Promise<DocumentClass> {
  loaded ??= (await import('../../parts/markdown/growing-markdown.ts')).GrowingMarkdown
  return loaded
}
