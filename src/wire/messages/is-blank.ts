/**
 * Whether text is white space alone. Models write some between thinking and calls; a block of it says nothing, and
 * vendors refuse it when the conversation moves on to them.
 */
export function isBlank(text: string): boolean {
  return !/\S/.test(text)
}
