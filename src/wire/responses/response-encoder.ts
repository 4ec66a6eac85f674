import type { ChatEvent, FinishReason, TokenLogprob } from '../../core/chat.ts'
import type { ApiError } from '../../core/errors.ts'
import { unreachable } from '../../core/unreachable.ts'
import type { Usage } from '../../core/usage.ts'
import type { SearchOutcome, SearchResult } from '../../core/web-search.ts'
import type { AnswerContext, AnswerItem, StreamEncoder } from '../dialect.ts'
import { keepAliveFrame } from '../sse-frame.ts'
import { callItem } from './call-item.ts'
import { EventWriter, type ItemPlace, type ItemStatus, type OutputItem } from './output-item.ts'
import type { ResponsesCall } from './parse-request.ts'
import { type ResponseIdentity, type ResponseState, toResponse } from './response-object.ts'
import { messageForm, reasoningForm, type TextForm, textItem } from './text-item.ts'
import { toolByName } from './tool-directory.ts'
import { citationsIn, type SearchItem, searchItem } from './web-search.ts'
import { wholeCallItem } from './whole-call-item.ts'

/** Text that is held back because it is only white space so far */
interface HeldText {
  readonly form: TextForm
  text: string
  readonly logprobs: TokenLogprob[]
}

/**
 * Turns the events of one request into the events of a response stream: `created`, `in_progress`; per output item, in
 * the model's order, one `added`, its deltas and one `done`; then exactly one of `completed`, `incomplete` and `failed`
 * with all items. Synchronous; keeps the answer's text, which the last events repeat.
 */
export class ResponseEncoder implements StreamEncoder {
  readonly #call: Omit<ResponsesCall, 'stream' | 'request'>
  readonly #context: AnswerContext
  readonly #identity: ResponseIdentity
  /** Form of shown reasoning. Undefined hides it. */
  readonly #reasoning: TextForm | undefined
  readonly #writer = new EventWriter()
  readonly #output: object[] = []
  #isStarted = false
  #item: OutputItem | undefined
  /** Kind of text that `#item` takes. Undefined for calls. */
  #form: TextForm | undefined
  #held: HeldText | undefined
  #search: SearchItem | undefined
  /** Results of all searches, which the answer may cite. */
  readonly #results: SearchResult[] = []
  #reason: FinishReason = 'stop'
  #usage: Usage | undefined

  constructor(call: Omit<ResponsesCall, 'stream' | 'request'>, context: AnswerContext) {
    const { model, echo, reasoningStyle } = call
    this.#call = call
    this.#context = context
    this.#identity = { id: context.newId('resp_'), created: context.created, model, echo }
    this.#reasoning = reasoningStyle && reasoningForm(reasoningStyle)
  }

  push(event: ChatEvent): string[] {
    switch (event.type) {
      case 'start':
        return this.#start()
      case 'text-delta':
        return this.#addText(messageForm, event.text, event.logprobs)
      case 'reasoning-delta':
        return this.#reasoning === undefined ? [] : this.#addText(this.#reasoning, event.text)
      case 'tool-call-start':
        return this.#open(() => this.#newCall(event.name), undefined)
      case 'tool-call-delta':
        if (this.#item === undefined) throw new Error('arguments of a call before its start: this is a bug')
        return this.#item.add(event.argumentsText)
      case 'search-start': {
        const ended = this.#endItem('completed')
        this.#search = searchItem(event.query, this.#place())
        return [...ended, ...this.#search.opened]
      }
      case 'search-finish':
        return [...this.#endSearch(event.outcome)]
      case 'prompt-scores':
        return [] // only in answers that are not streamed
      case 'choice-finish':
        this.#reason = event.reason
        return this.#endItem(event.reason === 'length' ? 'incomplete' : 'completed')
      case 'finish':
        this.#usage = event.usage
        return []
      default:
        return unreachable(event)
    }
  }

  end(): string[] {
    return [this.#lifecycle(this.#finalState())]
  }

  /** Ends the stream with an error. Open items get no `done`: clients that retry would keep them as complete. */
  fail(error: ApiError): string[] {
    const begun = this.#isStarted ? [] : this.#start()
    this.abandon()
    const state = { status: 'failed', output: this.#output, usage: this.#usage } as const
    return [...begun, this.#lifecycle({ ...state, error })]
  }

  /** Keeps the items so far: clients that show them refer to them later. */
  abandon(): void {
    if (this.#item !== undefined) this.#addOutput(this.#item, 'incomplete')
  }

  keepAlive(): string {
    return keepAliveFrame
  }

  /** Returns the whole answer. Call it after the last event. */
  response(): object {
    return toResponse(this.#identity, this.#finalState())
  }

  #start(): string[] {
    this.#isStarted = true
    const response = toResponse(this.#identity, { status: 'in_progress', output: [] })
    return ['response.created', 'response.in_progress'].map((type) => this.#writer.event(type, { response }))
  }

  #lifecycle(state: ResponseState): string {
    return this.#writer.event(`response.${state.status}`, { response: toResponse(this.#identity, state) })
  }

  #finalState(): ResponseState {
    const state = { output: this.#output, usage: this.#usage }
    if (this.#reason !== 'length') return { ...state, status: 'completed', completedAt: this.#context.now() }
    return { ...state, status: 'incomplete', incompleteReason: 'max_output_tokens' }
  }

  #addText(form: TextForm, text: string, logprobs?: readonly TokenLogprob[]): string[] {
    if (this.#item !== undefined && this.#form === form) {
      return text === '' && logprobs === undefined ? [] : this.#item.add(text, logprobs)
    }
    // Models write line breaks between thinking and calls, which alone form no item.
    const held = this.#held?.form === form ? this.#held : { form, text: '', logprobs: [] }
    held.text += text
    for (const token of logprobs ?? []) held.logprobs.push(token)
    this.#held = held
    if (!/\S/.test(text)) return []
    this.#held = undefined
    return [
      ...this.#open(() => textItem(form, this.#place(), (text) => citationsIn(text, this.#results)), form),
      ...(this.#item?.add(held.text, held.logprobs.length === 0 ? undefined : held.logprobs) ?? []),
    ]
  }

  #newCall(name: string): OutputItem {
    const place = this.#place()
    const known = toolByName(this.#call.toolNames, name)
    // The tool was not offered. Clients tell the model that it does not exist.
    if (known === undefined) return callItem('function', { name, hasClearMark: false }, place)
    switch (known.kind) {
      case 'function':
      case 'custom':
        return callItem(known.kind, known, place)
      case 'local-shell':
      case 'tool-search':
        return wholeCallItem(known.kind, known.name, place)
      default:
        return unreachable(known.kind)
    }
  }

  /** Ends the open item and opens the next one, in this order so that their output indexes differ. */
  #open(make: () => OutputItem, form: TextForm | undefined): string[] {
    const before = this.#endItem('completed')
    const item = make()
    this.#item = item
    this.#form = form
    return [...before, ...item.open()]
  }

  #endItem(status: 'completed' | 'incomplete'): string[] {
    const item = this.#item
    if (item === undefined) return []
    const frames = status === 'completed' ? item.complete() : item.cut()
    this.#addOutput(item, status)
    return frames
  }

  #endSearch(outcome: SearchOutcome): readonly string[] {
    const ended = this.#search?.finish(outcome)
    if (ended === undefined) throw new Error('a search ended before its start: this is a bug')
    if (outcome.type === 'results') this.#results.push(...outcome.results)
    this.#keep(ended.item)
    return ended.frames
  }

  #addOutput(item: OutputItem, status: ItemStatus): void {
    this.#item = undefined
    this.#keep(item.value(status))
  }

  #keep(value: AnswerItem): void {
    this.#output.push(value)
    if (this.#call.isStored) this.#context.keepItem(value)
  }

  #place(): ItemPlace {
    return { writer: this.#writer, newId: this.#context.newId, outputIndex: this.#output.length }
  }
}
