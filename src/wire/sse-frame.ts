/** One event of a text/event-stream body. JSON text holds no raw line break, so one `data:` line is enough. */
export function dataFrame(value: unknown): string {
  return `data: ${JSON.stringify(value)}\n\n`
}

/** Last frame of a stream that ended well. */
export const doneFrame = 'data: [DONE]\n\n'

/** A comment, ignored by clients: shows proxies and clients that the connection lives. */
export const keepAliveFrame = ': keep-alive\n\n'
