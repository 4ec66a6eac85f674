/** Language codes from the names that clients and servers use. */

const names = new Intl.DisplayNames('en', { type: 'language', fallback: 'none' })
const letters = Array.from({ length: 26 }, (_, index) => String.fromCharCode(97 + index))

/** Codes of two letters by lower-case English names of their languages, and by further names that clients use. */
const codesByName: ReadonlyMap<string, string> = new Map([
  ...letters
    .flatMap((first) => letters.map((second) => first + second))
    .flatMap((code): [string, string][] => {
      const name = isKnown(code) ? names.of(code)?.toLowerCase() : undefined
      return name === undefined ? [] : [[name, code]]
    }),
  ['burmese', 'my'],
  ['cantonese', 'yue'],
  ['castilian', 'es'],
  ['flemish', 'nl'],
  ['haitian', 'ht'],
  ['hawaiian', 'haw'],
  ['letzeburgesch', 'lb'],
  ['mandarin', 'zh'],
  ['moldavian', 'ro'],
  ['moldovan', 'ro'],
  ['myanmar', 'my'],
  ['panjabi', 'pa'],
  ['pushto', 'ps'],
  ['sinhalese', 'si'],
  ['valencian', 'ca'],
])

/**
 * Returns the language's code, ISO 639-1 if it has one, from a code with or without a region or an English name;
 * undefined if unknown.
 */
export function languageCode(language: string): string | undefined {
  const wanted = language.trim().toLowerCase()
  const [first = ''] = wanted.split(/[-_]/)
  return isKnown(first) ? new Intl.Locale(first).language : codesByName.get(wanted)
}

function isKnown(code: string): boolean {
  return /^[a-z]{2,3}$/.test(code) && names.of(code) !== undefined
}
