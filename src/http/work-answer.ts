import type { WorkEvent } from '../core/work.ts'
import type { AnswerCollector, AnswerContext, AnswerEncoder, WorkCall, WorkDialect } from '../wire/dialect.ts'

/** A part of the answer that takes the events of one run. Work that begins again has another one. */
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

/** The maker of an answer. Nothing of an answer that is `spooled` or `whole` is sent before the work is done. */
export type WorkAnswer<Event extends WorkEvent> =
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
