import type { NativeChatFormat } from '../native.ts'

type Format = Pick<NativeChatFormat, 'parse' | 'preservedTokens' | 'thinkingEndTags'>

/**
 * Returns the answer with the mark that some formats require in front of text, after any thinking. Small models and
 * those whose thinking was cut leave it out. Undefined if no mark helps. The first `readLength` characters were read
 * and held no text.
 */
export function withTextMark(answer: string, readLength: number, format: Format): string | undefined {
  const start = behindThinking(answer, readLength, format) ?? (readLength === 0 ? 0 : undefined)
  if (start === undefined) return undefined
  const before = answer.slice(0, start)
  const text = answer.slice(start).trimStart()
  // The mark may still follow.
  if (text === '') return answer
  const fits = (mark: string) => {
    const { fits, content } = format.parse(before + mark + text)
    return fits && (mark === '' || (content !== '' && text.startsWith(content)))
  }
  const mark = ['', ...format.preservedTokens].find(fits)
  return mark === undefined ? undefined : before + mark + text
}

/** Returns the index after the thinking that ends beyond `readLength`; undefined if it has not ended. */
export function behindThinking(
  answer: string,
  readLength: number,
  { thinkingEndTags }: Pick<Format, 'thinkingEndTags'>,
): number | undefined {
  const ends = thinkingEndTags.flatMap((tag) => {
    const at = answer.indexOf(tag, readLength)
    return at < 0 ? [] : [at + tag.length]
  })
  return ends.length === 0 ? undefined : Math.min(...ends)
}
