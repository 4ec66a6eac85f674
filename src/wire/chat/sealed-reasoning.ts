const prefix = 'inferd1:'
const digestLength = 16

/**
 * Encodes thinking as a token that clients return unread. It is not a secret from the client, which may have the same
 * text in clear, and a client may write anything into its own conversation: so nothing is encrypted or signed. The
 * digest only tells a token of this server from a cut or foreign one, and needs no key.
 */
export function sealReasoning(text: string): string {
  const encoded = Buffer.from(text).toString('base64url')
  return `${prefix}${digestOf(encoded)}.${encoded}`
}

/** Returns the text of one of our tokens; undefined for anything else. */
export function openReasoning(token: string): string | undefined {
  if (!token.startsWith(prefix)) return undefined
  const encoded = token.slice(prefix.length + digestLength + 1)
  if (token !== `${prefix}${digestOf(encoded)}.${encoded}`) return undefined
  return Buffer.from(encoded, 'base64url').toString().toWellFormed()
}

function digestOf(encoded: string): string {
  return Bun.CryptoHasher.hash('sha256', encoded, 'hex').slice(0, digestLength)
}
