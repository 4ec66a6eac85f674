import type { NativeChatFormat } from '../engines/llama/native.ts'
import { thinkingInPrompt } from '../engines/llama/prompt/thinking.ts'
import { readReply } from './read-reply.ts'

const json = '{"a": 9}'

/** True where an answer of JSON is read as it is, with thinking in front of it and without, whole and by the character. */
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
