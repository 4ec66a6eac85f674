import { texts } from '../texts/texts.ts'

/** Characters per text node. Changing a text node costs browsers more the longer it is. */
const nodeCharacters = 2_000

/** Characters shown of a text that is cut. */
const maximumCharacters = 400_000

interface LongTextProps {
  readonly text: string
  /** True to cut a far too long text and tell how much is left out. */
  readonly isCut?: boolean
}

/** Shows a text of any length, which may grow. Nodes that are already shown are kept. */
export function LongText({ text, isCut = false }: LongTextProps) {
  if (text.length <= nodeCharacters) return <>{text}</>
  const shown = isCut ? text.slice(0, maximumCharacters) : text
  return (
    <>
      {textNodes(shown).map((part, index) => (
        // Parts never change their place.
        <span key={index}>{part}</span>
      ))}
      {shown.length < text.length && <span class="muted">{texts.markdown.cut(text.length - shown.length)}</span>}
    </>
  )
}

/** Returns parts of equal length that split no surrogate pair. */
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
