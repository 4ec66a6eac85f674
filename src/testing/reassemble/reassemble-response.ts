import { readEvents } from './read-events.ts'

/** Parsed JSON. The tests know its form. */
type Wire = Record<string, unknown>

/**
 * Returns the response at the end of a responses stream, with output made only of the deltas. Throws if `done` events
 * or the last one differ from it, and on events that are too early or not numbered in sequence.
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
  // Items come one after the other, so each event belongs to the last one.
  if (item === undefined || item !== output.at(-1)) throw new Error(`${event.type} of an item that is not open`)
  if (event.item_id !== undefined && event.item_id !== item.id) throw new Error(`${event.type} names another item`)
  const done = doneFields[String(event.type)]
  if (event.type === 'response.output_item.done') Object.assign(item, laterFields(event.item as Wire))
  else if (/_part\.added$/.test(String(event.type))) partsOf(item, event).push(event.part as Wire)
  else if (/\.delta$/.test(String(event.type))) addDelta(item, event)
  else if (done === undefined) throw new Error(`an unknown event: ${event.type}`)
  else expectSame(event[done], done === 'part' ? partsOf(item, event)[0] : textOf(item, event, done), event)
}

/** Field of each `done` event that repeats its deltas. */
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

/** Returns the fields that an item has only at its end. */
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
