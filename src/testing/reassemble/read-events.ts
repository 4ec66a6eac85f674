export interface SseEvent {
  readonly name: string | undefined
  readonly data: string
}

/** Returns the stream's events. Throws if a line belongs to no event. */
export function readEvents(stream: string): SseEvent[] {
  if (!stream.endsWith('\n\n')) throw new Error('the stream ends within an event')
  return stream
    .slice(0, -2)
    .split('\n\n')
    .filter((block) => !block.startsWith(':'))
    .map((block) => {
      const found = /^(?:event: ([\w.]+)\n)?data: ([^\n\r]+)$/.exec(block)
      if (found?.[2] === undefined) throw new Error(`no event: ${block}`)
      return { name: found[1], data: found[2] }
    })
}
