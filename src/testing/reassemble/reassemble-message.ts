import { readEvents } from './read-events.ts'

/** Parsed JSON. The tests know its form. */
type Wire = Record<string, unknown>

/**
 * Returns the content blocks of a messages stream, with the fields of `message_delta`. Throws if the events are out of
 * order.
 */
export function reassembleMessage(stream: string): Wire {
  const events = readEvents(stream)
    .map(({ name, data }) => {
      const event = JSON.parse(data)
      if (event.type !== name) throw new Error(`event ${name} says that it is ${event.type}`)
      return event
    })
    .filter(({ type }) => type !== 'ping')
  const [start, stop, delta] = [events.shift(), events.pop(), events.pop()]
  if (`${start.type} ${delta.type} ${stop.type}` !== 'message_start message_delta message_stop') {
    throw new Error('the stream does not begin or end as it has to')
  }
  const content: Wire[] = []
  let open: { block: Wire; json: string } | undefined
  for (const event of events) {
    if (event.type === 'content_block_start') {
      if (open !== undefined || event.index !== content.length) throw new Error(`block ${event.index} begins too early`)
      open = { block: event.content_block, json: '' }
    } else if (open === undefined || event.index !== content.length) {
      throw new Error(`an event of block ${event.index}, which is not open`)
    } else if (event.type === 'content_block_delta') apply(open, event.delta)
    else {
      if (open.block.type === 'tool_use') open.block.input = parseObject(open.json)
      content.push(open.block)
      open = undefined
    }
  }
  if (open !== undefined) throw new Error('the last block has no end')
  const usage = { ...start.message.usage, ...delta.usage }
  return { ...start.message, content, ...delta.delta, usage }
}

function apply(open: { block: Wire; json: string }, delta: Wire): void {
  if (delta.type === 'text_delta') open.block.text = `${open.block.text}${delta.text}`
  else if (delta.type === 'thinking_delta') open.block.thinking = `${open.block.thinking}${delta.thinking}`
  else if (delta.type === 'signature_delta') open.block.signature = delta.signature
  else if (delta.type === 'input_json_delta') open.json += delta.partial_json
  else throw new Error(`an unknown delta: ${delta.type}`)
}

function parseObject(text: string): object {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {}
  } catch {
    return {} // a call that was cut
  }
}
