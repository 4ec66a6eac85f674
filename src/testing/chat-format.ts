import type { NativeChatFormat, NativeParsedMessage } from '../engines/llama/native.ts'

/** The form of a chat format around `parse`, with nothing in it. */
export const emptyFormat = {
  generationPrompt: '',
  thinkingStartTag: '',
  thinkingEndTags: [] as readonly string[],
  preservedTokens: [] as readonly string[],
  grammarTriggers: [],
}

/** What a parser returns that has read nothing. */
export const nothingRead: NativeParsedMessage = {
  fits: true,
  isComplete: false,
  content: '',
  reasoning: '',
  toolCalls: [],
}

/** All of an answer is text. */
export const textFormat = {
  ...emptyFormat,
  parse: (text: string): NativeParsedMessage => ({
    ...nothingRead,
    isComplete: true,
    content: text,
    last: { kind: 'text', start: 0, end: text.length },
  }),
}

/** A rendered prompt, whose answers are all text. */
export function renderedAs(prompt: string): NativeChatFormat {
  return { ...textFormat, prompt, grammar: '', grammarLazy: false, additionalStops: [] }
}

/** Reads `<think>…</think>` the way llama.cpp's parser does: leading white space goes, trailing stays in thinking. */
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
