/** Title that a conversation gets from its first message. */

const maximumCharacters = 60

/** Returns the first words of a text as a title, at most 60 characters. Empty if the text has no words. */
export function titleOf(text: string): string {
  const line = text
    .split('\n')
    .map((one) =>
      one
        .replace(/^[#>*\s-]+/, '')
        .replace(/\s+/g, ' ')
        .trim(),
    )
    .find((one) => one !== '')
  if (line === undefined || line.length <= maximumCharacters) return line ?? ''
  // Never cuts a character in two.
  const cut = line.slice(0, maximumCharacters).replace(/[\ud800-\udbff]$/, '')
  const atWord = cut.replace(/\s+\S*$/, '')
  return `${atWord.length > maximumCharacters / 2 ? atWord : cut} …`
}
