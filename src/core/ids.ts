const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** Makes `<prefix><length random base62 characters>`. Passed as an argument to whatever is tested. */
export type NewId = (prefix: string, length?: number) => string

/**
 * Random id from the system's cryptographic generator. 24 characters carry 142 bits. Bytes of 248 and above are
 * thrown away so that every character is equally likely.
 */
export const newId: NewId = (prefix, length = 24) => {
  let id = ''
  while (id.length < length) {
    for (const byte of crypto.getRandomValues(new Uint8Array(2 * length))) {
      if (byte < 248 && id.length < length) id += alphabet[byte % 62]
    }
  }
  return prefix + id
}
