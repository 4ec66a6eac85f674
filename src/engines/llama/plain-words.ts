/**
 * The first words of a text, to be looked for in a prompt: templates write marks, quotes, line ends and other alphabets in
 * ways of their own, but not these. '' where it has none.
 */
export function plainWords(text: string): string {
  return /[A-Za-z0-9_]+(?: [A-Za-z0-9_]+)*/.exec(text.slice(0, 200))?.[0] ?? ''
}
