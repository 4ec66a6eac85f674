/** Browsers take the longer for each change of a text node the longer it is: long texts are many nodes. */
const nodeCharacters = 2_000

/** A text of any length, which may grow: of what is shown already nothing is made anew. */
export function LongText({ text }: { readonly text: string }) {
  if (text.length <= nodeCharacters) return <>{text}</>
  return (
    <>
      {textNodes(text).map((part, index) => (
        // A part never changes its place.
        <span key={index}>{part}</span>
      ))}
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
