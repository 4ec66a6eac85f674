const foreignToken = /^gAAAA[A-Za-z0-9_-]*={0,2}$/
const shortestForeignToken = 100

/**
 * The text of a part that another agent or a tool wrote; undefined for a part without text. Clients hand over our own
 * arguments as `encrypted_content` in clear: dropped, an agent would begin with an empty task. What another server
 * really encrypted cannot be read, and the model is told so.
 */
export function readableText(part: object): string | undefined {
  if ('text' in part && typeof part.text === 'string') return part.text.toWellFormed()
  if (!('encrypted_content' in part) || typeof part.encrypted_content !== 'string') return undefined
  const content = part.encrypted_content
  const isForeign = content.length >= shortestForeignToken && foreignToken.test(content)
  return isForeign ? '[encrypted message not readable by this server]' : content.toWellFormed()
}
