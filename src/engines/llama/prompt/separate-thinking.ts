/** For formats that name tags of thinking, but whose parser leaves the thinking in the text. */
import type { NativeChatFormat, NativeParsedMessage } from '../native.ts'
import { thinkingInPrompt } from './thinking.ts'

/** Returns a format that separates thinking. Unchanged if its parser already does, or there is no thinking. */
export function withSeparateThinking(format: NativeChatFormat): NativeChatFormat {
  const [end] = format.thinkingEndTags
  const place = thinkingInPrompt(format)
  if (format.thinkingStartTag === '' || end === undefined || place === 'closed') return format
  const start = place === 'open' ? '' : format.thinkingStartTag
  const sample = format.parse(`${start}a${end}b`)
  // If the prompt asks for no thinking, some parsers expect bare text.
  const isLeft = sample.fits ? sample.content.includes(end) : place === 'none' && format.parse('b').content === 'b'
  if (!isLeft) return format
  return { ...format, parse: (text) => parse(format, start, text) }
}

type Parser = Pick<NativeChatFormat, 'parse' | 'thinkingEndTags'>

function parse(format: Parser, start: string, text: string): NativeParsedMessage {
  if (text === '') return format.parse(text)
  const begin = start === '' ? 0 : text.search(/\S|$/)
  const answer = text.slice(begin)
  if (answer.length < start.length && start.startsWith(answer)) return nothing
  if (!answer.startsWith(start)) return format.parse(text)
  const from = begin + start.length
  const end = firstOf(text, format.thinkingEndTags, from)
  if (end === undefined) {
    const to = Math.max(from, text.length - heldLength(text, format.thinkingEndTags))
    return { ...nothing, reasoning: text.slice(from, to), last: { kind: 'reasoning', start: from, end: to } }
  }
  const rest = text.slice(end.to)
  const skipped = end.to + rest.search(/\S|$/)
  const message = format.parse(text.slice(skipped))
  const reasoning = text.slice(from, end.from)
  const { last } = message
  if (last === undefined) return { ...message, reasoning, last: { kind: 'reasoning', start: from, end: end.from } }
  return { ...message, reasoning, last: { ...last, start: skipped + last.start, end: skipped + last.end } }
}

const nothing = { fits: true, isComplete: false, content: '', reasoning: '', toolCalls: [] } as const

function firstOf(text: string, tags: readonly string[], from: number) {
  const found = tags.flatMap((tag) => {
    const at = text.indexOf(tag, from)
    return at < 0 ? [] : [{ from: at, to: at + tag.length }]
  })
  return found.toSorted((one, other) => one.from - other.from)[0]
}

/** Returns the number of characters at the end of a text that may begin a tag. */
export function heldLength(text: string, tags: readonly string[]): number {
  const lengths = tags.flatMap((tag) => Array.from({ length: tag.length - 1 }, (_, index) => tag.length - 1 - index))
  const fitting = lengths.filter((length) => tags.some((tag) => text.endsWith(tag.slice(0, length))))
  return Math.max(0, ...fitting)
}
