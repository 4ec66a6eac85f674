import type { NativeChatFormat } from '../native.ts'

type Format = Pick<NativeChatFormat, 'parse' | 'preservedTokens' | 'thinkingEndTags'>

/**
 * Some formats want a mark in front of text, behind the thinking if there is some. Models leave it out: small ones, and
 * others whose thinking was cut short. The answer as the format would have it, or undefined where no mark helps. Up to
 * `readLength` it was read, and no text was in it.
 */
export function withTextMark(answer: string, readLength: number, format: Format): string | undefined {
  const start = behindThinking(answer, readLength, format) ?? (readLength === 0 ? 0 : undefined)
  if (start === undefined) return undefined
  const before = answer.slice(0, start)
  const text = answer.slice(start).trimStart()
  // The mark may follow after all.
  if (text === '') return answer
  const fits = (mark: string) => {
    const { fits, content } = format.parse(before + mark + text)
    return fits && (mark === '' || (content !== '' && text.startsWith(content)))
  }
  const mark = ['', ...format.preservedTokens].find(fits)
  return mark === undefined ? undefined : before + mark + text
}

/** Where the thinking has ended behind `readLength`; undefined: it has not. */
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
