/** What the three kinds of minisign's files share. */

/** Why a text is no key or signature, or cannot be used. The message completes "<file> …". */
export class MinisignError extends Error {
  override name = 'MinisignError'
}

/** Begins the first line of each file. What follows is not signed. */
export const untrusted = 'untrusted comment: '

/** The bytes of base64 in its one canonical form; undefined for anything else. */
export function decodeBase64(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64')
  return bytes.toString('base64') === text ? bytes : undefined
}
