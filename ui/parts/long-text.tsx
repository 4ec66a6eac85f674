import { texts } from '../texts/texts.ts'

/** Browsers take the longer for each change of a text node the longer it is: long texts are many nodes. */
const nodeCharacters = 2_000

/** What is shown of a text that nobody reads to its end. */
const maximumCharacters = 400_000

export interface LongTextProps {
  readonly text: string
  /** Only the beginning of a text that is far too long is shown, and how much is not. */
  readonly isCut?: boolean
}

/** A text of any length, which may grow: of what is shown already nothing is made anew. */
export function LongText({ text, isCut = false }: LongTextProps) {
  if (text.length <= nodeCharacters) return <>{text}</>
  const shown = isCut ? text.slice(0, maximumCharacters) : text
  return (
    <>
      {textNodes(shown).map((part, index) => (
        // A part never changes its place.
        <span key={index}>{part}</span>
      ))}
      {shown.length < text.length && <span class="muted">{texts.markdown.cut(text.length - shown.length)}</span>}
    </>
  )
}

/** Parts of equal length, none of which ends within a surrogate pair. */
export function textNodes(text: string): string[] {
  const parts: string[] = []
  for (let from = 0; from < text.length; ) {
    const end = from + nodeCharacters
    const isSplitPair = /[\uD800-\uDBFF]/.test(text[end - 1] ?? '')
    const next = isSplitPair ? end + 1 : end
    parts.push(text.slice(from, next))
    from = next
  }
  return parts
}
