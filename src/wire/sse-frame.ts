/** Characters that some clients take for line breaks and JSON does not escape */
const furtherLineBreaks = /[\u0085\u2028\u2029]/g

/** Returns JSON text without any line break, so that it fits one line of an event. */
export function toJsonLine(value: unknown): string {
  const json = JSON.stringify(value)
  return json.replace(furtherLineBreaks, (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/** Returns one event of a text/event-stream body. */
export function dataFrame(value: unknown): string {
  return `data: ${toJsonLine(value)}\n\n`
}

/** Returns one event with a name, for pages of this server. */
export function eventFrame(event: string, data: unknown): string {
  return `event: ${event}\n${dataFrame(data)}`
}

/** Last frame of a successful stream. */
export const doneFrame = 'data: [DONE]\n\n'

/** Comment that clients ignore. It shows proxies and clients that the connection lives. */
export const keepAliveFrame = ': keep-alive\n\n'
