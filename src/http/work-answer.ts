import { setImmediate } from 'node:timers/promises'
import type { WorkEvent } from '../core/work.ts'
import type {
  AnswerCollector,
  AnswerContext,
  AnswerEncoder,
  AnswerHead,
  WorkCall,
  WorkDialect,
} from '../wire/dialect.ts'
import { jsonPieces } from '../wire/json-pieces.ts'
import type { RequestObserver } from './request-observer.ts'

/** Encoder or collector of the events of one run. Restarted work gets a new one. */
export class Renewable<Part> {
  readonly #make: () => Part
  #current: Part

  constructor(make: () => Part) {
    this.#make = make
    this.#current = make()
  }

  get current(): Part {
    return this.#current
  }

  /** Discards the pieces so far: the next events belong to another run. */
  renew(): void {
    this.#current = this.#make()
  }
}

/** Parts that make an answer. A `spooled` or `whole` answer is sent only when its work is done. */
type WorkAnswer<Event extends WorkEvent> =
  | { readonly type: 'streamed'; readonly encoder: AnswerEncoder<Event> }
  | { readonly type: 'spooled'; readonly parts: Renewable<AnswerEncoder<Event>> }
  | { readonly type: 'whole'; readonly parts: Renewable<AnswerCollector<Event>> }

export function workAnswer<Call extends WorkCall, Event extends WorkEvent>(
  dialect: Pick<WorkDialect<Call, Event>, 'encoder' | 'collector'>,
  call: Call,
  context: AnswerContext,
): WorkAnswer<Event> {
  const makeEncoder = dialect.encoder
  if (call.stream !== true || makeEncoder === undefined) {
    return { type: 'whole', parts: new Renewable(() => dialect.collector(call, context)) }
  }
  const parts = new Renewable(() => makeEncoder(call, context))
  return parts.current.prefix === undefined ? { type: 'streamed', encoder: parts.current } : { type: 'spooled', parts }
}

/** Returns the answer of the current collector once the work is done and settled. */
export async function wholeAnswer<Event extends WorkEvent>(
  events: AsyncGenerator<Event>,
  parts: Renewable<AnswerCollector<Event>>,
  observer: RequestObserver,
): Promise<{ readonly head: AnswerHead; readonly text: string }> {
  for await (const event of events) {
    observer.onEvent(event)
    parts.current.push(event)
  }
  const collector = parts.current
  const answer = collector.end()
  const text = await joinInTurns(Symbol.iterator in answer ? answer : jsonPieces(answer))
  return { head: collector.head?.() ?? jsonHead, text }
}

const jsonHead: AnswerHead = { contentType: 'application/json;charset=utf-8' }

/** Longest time that the event loop is blocked at once. */
const turnMs = 5

/** Joins the pieces, letting other requests run between: writing a million numbers takes a tenth of a second. */
export async function joinInTurns(
  pieces: Iterable<string>,
  nowMs: () => number = () => performance.now(),
): Promise<string> {
  let text = ''
  let beganAtMs = nowMs()
  for (const piece of pieces) {
    text += piece
    if (nowMs() - beganAtMs < turnMs) continue
    await setImmediate()
    beganAtMs = nowMs()
  }
  return text
}
