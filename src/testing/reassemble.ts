/** What a client that knows nothing but the contract makes of a stream: the whole answer, from its deltas alone. */

/** Anything read from JSON: the tests compare it and know what it has to be. */
type Wire = Record<string, unknown>

interface SseEvent {
  readonly name: string | undefined
  readonly data: string
}

/** The stream's events. Throws on a line that no event has. */
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

interface WireCall {
  id: unknown
  type: unknown
  name: unknown
  text: string
}

interface ChatChoice {
  role: unknown
  content: string
  reasoning: string
  calls: WireCall[]
  finish: unknown
}

/** The choices and the usage of a chat/completions stream. */
export function reassembleChat(stream: string): { choices: ChatChoice[]; usage: unknown } {
  const events = readEvents(stream)
  if (events.pop()?.data !== '[DONE]') throw new Error('the stream has no end')
  const choices: ChatChoice[] = []
  let usage: unknown
  for (const { name, data } of events) {
    if (name !== undefined) throw new Error(`a named event: ${name}`)
    const chunk = JSON.parse(data)
    usage = chunk.usage ?? usage
    for (const { index, delta, finish_reason } of chunk.choices) {
      choices[index] ??= { role: delta.role, content: '', reasoning: '', calls: [], finish: null }
      const choice = choices[index]
      if (choice.finish !== null) throw new Error(`choice ${index} goes on after its end`)
      choice.content += delta.content ?? ''
      choice.reasoning += delta.reasoning_content ?? ''
      choice.finish = finish_reason
      for (const { index: at, id, type, function: called, custom } of delta.tool_calls ?? []) {
        choice.calls[at] ??= { id, type, name: (called ?? custom).name, text: '' }
        choice.calls[at].text += called?.arguments ?? custom?.input ?? ''
      }
    }
  }
  return { choices, usage }
}

/** The content blocks of a messages stream with what `message_delta` said. Throws on any other order of events. */
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

/**
 * The response that a responses stream ends with, its output made of the deltas alone. Throws where `done` events or
 * the last one say anything else, and on events that come too early or are not numbered one by one.
 */
export function reassembleResponse(stream: string): Wire {
  const events = readEvents(stream).map(({ name, data }, index) => {
    const event = JSON.parse(data)
    if (event.type !== name) throw new Error(`event ${name} says that it is ${event.type}`)
    if (event.sequence_number !== index) throw new Error(`event ${index} is numbered ${event.sequence_number}`)
    return event
  })
  const [created, inProgress, last] = [events.shift(), events.shift(), events.pop()]
  if (`${created.type} ${inProgress.type}` !== 'response.created response.in_progress') throw new Error('no beginning')
  if (!/^response\.(completed|incomplete|failed)$/.test(last.type)) throw new Error(`the last event is ${last.type}`)
  const output: Wire[] = []
  for (const event of events) takeItemEvent(output, event)
  return { ...last.response, output }
}

function takeItemEvent(output: Wire[], event: Wire): void {
  if (event.type === 'response.output_item.added') {
    if (event.output_index !== output.length) throw new Error(`item ${event.output_index} is out of order`)
    output.push(event.item as Wire)
    return
  }
  const item = output[Number(event.output_index)]
  // Items come one after the other, so what is said is said of the last one.
  if (item === undefined || item !== output.at(-1)) throw new Error(`${event.type} of an item that is not open`)
  if (event.item_id !== undefined && event.item_id !== item.id) throw new Error(`${event.type} names another item`)
  const done = doneFields[String(event.type)]
  if (event.type === 'response.output_item.done') Object.assign(item, laterFields(event.item as Wire))
  else if (/_part\.added$/.test(String(event.type))) partsOf(item, event).push(event.part as Wire)
  else if (/\.delta$/.test(String(event.type))) addDelta(item, event)
  else if (done === undefined) throw new Error(`an unknown event: ${event.type}`)
  else expectSame(event[done], done === 'part' ? partsOf(item, event)[0] : textOf(item, event, done), event)
}

/** Where each `done` event says again what its deltas said. */
const doneFields: Readonly<Record<string, string>> = {
  'response.output_item.done': 'item',
  'response.output_text.done': 'text',
  'response.reasoning_text.done': 'text',
  'response.reasoning_summary_text.done': 'text',
  'response.content_part.done': 'part',
  'response.reasoning_summary_part.done': 'part',
  'response.function_call_arguments.done': 'arguments',
  'response.custom_tool_call_input.done': 'input',
}

/** What an item learns at its end, and nowhere before. */
function laterFields({ status, encrypted_content }: Wire): Wire {
  return { status, ...(encrypted_content === undefined ? {} : { encrypted_content }) }
}

function partsOf(item: Wire, event: Wire): Wire[] {
  return (event.summary_index === undefined ? item.content : item.summary) as Wire[]
}

function addDelta(item: Wire, event: Wire): void {
  const field = 'arguments' in item ? 'arguments' : 'input' in item ? 'input' : undefined
  if (field !== undefined) item[field] = `${item[field]}${event.delta}`
  else {
    const part = partsOf(item, event)[0]
    if (part === undefined) throw new Error('a delta before its part')
    part.text = `${part.text}${event.delta}`
  }
}

function textOf(item: Wire, event: Wire, field: string): unknown {
  return field === 'text' ? partsOf(item, event)[0]?.text : item[field]
}

function expectSame(said: unknown, assembled: unknown, { type }: Wire): void {
  if (JSON.stringify(said) !== JSON.stringify(assembled)) {
    throw new Error(`${type} says ${JSON.stringify(said)}, its deltas say ${JSON.stringify(assembled)}`)
  }
}
