import type { NativeChatFormat, NativeParsedMessage } from '../engines/llama/native.ts'

/** Empty fields of a chat format, to which a test adds `parse`. */
export const emptyFormat = {
  generationPrompt: '',
  thinkingStartTag: '',
  thinkingEndTags: [] as readonly string[],
  preservedTokens: [] as readonly string[],
  grammarTriggers: [],
}

/** Result of a parser that has read nothing. */
export const nothingRead: NativeParsedMessage = {
  fits: true,
  isComplete: false,
  content: '',
  reasoning: '',
  toolCalls: [],
}

/** Format that parses the whole answer as text. */
export const textFormat = {
  ...emptyFormat,
  parse: (text: string): NativeParsedMessage => ({
    ...nothingRead,
    isComplete: true,
    content: text,
    last: { kind: 'text', start: 0, end: text.length },
  }),
}

/** Returns a rendered prompt whose answers are parsed as text. */
export function renderedAs(prompt: string): NativeChatFormat {
  return { ...textFormat, prompt, grammar: '', grammarLazy: false, additionalStops: [] }
}

/**
 * Format that parses `<think>…</think>` like llama.cpp: removes leading white space, keeps trailing white space in the
 * thinking.
 */
export const thinkFormat = {
  ...emptyFormat,
  thinkingStartTag: '<think>',
  thinkingEndTags: ['</think>'] as readonly string[],
  parse(text: string): NativeParsedMessage {
    const start = text.search(/\S|$/)
    if ('<think>'.startsWith(text.slice(start))) return nothingRead
    if (!text.startsWith('<think>', start)) return textFormat.parse(text)
    const opened = start + '<think>'.length
    const from = opened + text.slice(opened).search(/\S|$/)
    const closing = text.indexOf('</think>', from)
    if (closing < 0) {
      const to = text.length - (/<(\/(t(h(i(n(k)?)?)?)?)?)?$/.exec(text)?.[0].length ?? 0)
      return { ...nothingRead, reasoning: text.slice(from, to), last: { kind: 'reasoning', start: from, end: to } }
    }
    const reasoning = text.slice(from, closing)
    const after = closing + '</think>'.length
    const begin = after + text.slice(after).search(/\S|$/)
    const last = { kind: 'text' as const, start: begin, end: text.length }
    return { ...nothingRead, isComplete: true, reasoning, content: text.slice(begin), last }
  },
}
