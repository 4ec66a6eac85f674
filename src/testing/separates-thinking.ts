import type { NativeChatFormat } from '../engines/llama/native.ts'
import { thinkingInPrompt } from '../engines/llama/prompt/thinking.ts'
import { readReply } from './read-reply.ts'

const json = '{"a": 9}'

/**
 * Returns whether an answer of JSON is parsed unchanged, with and without thinking before it, at once and character by
 * character.
 */
export function separatesThinking(format: NativeChatFormat): boolean {
  const { thinkingStartTag: start, thinkingEndTags } = format
  const [end] = thinkingEndTags
  const place = thinkingInPrompt(format)
  if (end === undefined || place === 'closed') return true
  const answer = `${place === 'open' ? '' : start}Hm.${end}\n\n${json}`
  const isRead = [[answer], [...answer]].every((pieces) => {
    const { text, calls } = readReply(format, pieces)
    return text.trim() === json && calls.length === 0
  })
  return isRead && (place !== 'none' || readReply(format, [...json]).text === json)
}
