/** What JSON leaves as it is and some clients take for the end of a line. */
const furtherLineBreaks = /[\u0085\u2028\u2029]/g

/** JSON text without any line break, so that one line of an event holds it. */
export function toJsonLine(value: unknown): string {
  const json = JSON.stringify(value)
  return json.replace(furtherLineBreaks, (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/** One event of a text/event-stream body. */
export function dataFrame(value: unknown): string {
  return `data: ${toJsonLine(value)}\n\n`
}

/** One event with a name, for pages of this server. */
export function eventFrame(event: string, data: unknown): string {
  return `event: ${event}\n${dataFrame(data)}`
}

/** Last frame of a stream that ended well. */
export const doneFrame = 'data: [DONE]\n\n'

/** A comment, ignored by clients: shows proxies and clients that the connection lives. */
export const keepAliveFrame = ': keep-alive\n\n'
