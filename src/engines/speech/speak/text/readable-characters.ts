/**
 * Replacements of characters that cannot be read aloud in any language. Emoji and private-use symbols are removed;
 * control characters and unusual spaces become spaces; invisible characters vanish, which joins words that they split.
 */
const replacements: readonly (readonly [RegExp, string])[] = [
  [/\r\n?|[\v\f\u0085\u2028\u2029]/g, '\n'],
  // Keycaps and flags come before their parts.
  [/[0-9#*]\ufe0f?\u20e3/gu, ' '],
  [/[\u{1f1e6}-\u{1f1ff}\u{1f3fb}-\u{1f3ff}\u{e0020}-\u{e007f}]|\ufe0e|\ufe0f/gu, ''],
  [/(?![©®™])\p{Extended_Pictographic}/gu, ' '],
  [/(?!\n)[\p{Cc}\p{Zs}]/gu, ' '],
  [/[\p{Cf}\p{Cs}\p{Co}\p{Cn}]/gu, ''],
  [/[‘’‚‛′´]/g, "'"],
  [/[“”„‟″«»]/g, '"'],
  [/[‐‑‒−]/g, '-'],
  [/…/g, '...'],
]

/** Compatibility forms of letters and digits: ligatures, wide, mathematical and circled characters, Roman numerals. */
const dressed = /[\ufb00-\ufb06\uff10-\uff19\uff21-\uff3a\uff41-\uff5a\u{1d400}-\u{1d7ff}\u2460-\u24ea\u2160-\u2188]/gu

/**
 * Returns the text in composed characters (NFC), with lines separated by `
 * `.
 */
export function toReadableCharacters(text: string): string {
  const plain = text.normalize('NFC').replace(dressed, (character) => character.normalize('NFKC'))
  return replacements.reduce((read, [pattern, by]) => read.replace(pattern, by), plain)
}

/** Returns whether there is anything to say: a letter, a digit, or a symbol that is read as a word. */
export function isSpeakable(text: string): boolean {
  return /[\p{L}\p{N}]/u.test(text)
}
