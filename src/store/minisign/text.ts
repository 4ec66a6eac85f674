/** Common parts of minisign's three kinds of files. */

/** Problem with a key or signature. The message completes "<file> …". */
export class MinisignError extends Error {
  override name = 'MinisignError'
}

/** Beginning of each file's first line. The rest of the line is not signed. */
export const untrusted = 'untrusted comment: '

/** Returns the bytes of canonical base64; undefined for anything else. */
export function decodeBase64(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64')
  return bytes.toString('base64') === text ? bytes : undefined
}
