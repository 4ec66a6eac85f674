const prefix = 'inferd1:'
const digestLength = 16

/**
 * Thinking as a token that clients carry from answer to request without looking inside. It is no secret from the client,
 * who may have the same text in clear, and a client may say anything in a conversation of its own: so nothing is
 * encrypted or signed. The digest only tells a token of ours from a cut or foreign one, and needs no key to be kept.
 */
export function sealReasoning(text: string): string {
  const encoded = Buffer.from(text).toString('base64url')
  return `${prefix}${digestOf(encoded)}.${encoded}`
}

/** The text of one of our tokens; undefined for anything else. */
export function openReasoning(token: string): string | undefined {
  if (!token.startsWith(prefix)) return undefined
  const encoded = token.slice(prefix.length + digestLength + 1)
  if (token !== `${prefix}${digestOf(encoded)}.${encoded}`) return undefined
  return Buffer.from(encoded, 'base64url').toString().toWellFormed()
}

function digestOf(encoded: string): string {
  return Bun.CryptoHasher.hash('sha256', encoded, 'hex').slice(0, digestLength)
}
