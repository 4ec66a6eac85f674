/** All choices of one request, which play its script within the grants. */
import { type ChatEvent, type ChatRequest, type FinishReason, picturesOf, type TokenLogprob } from '../../core/chat.ts'
import type { ErrorData } from '../../core/errors.ts'
import { type Consumption, nothingConsumed } from '../../core/usage.ts'
import type { Grant, RequestEvent } from '../protocol/request-events.ts'
import { GrantGate } from './grant-gate.ts'
import { describePicture, pictureProblem, tokensOfPicture } from './pictures.ts'
import { type FakeAction, type FakeScript, isToken, performAction, readScript } from './script.ts'

interface FakeAnswerOptions {
  readonly id: number
  readonly request: ChatRequest
  readonly contextTokens: number
  readonly send: (event: RequestEvent<ChatEvent>) => void
}

export class FakeAnswer {
  readonly #options: FakeAnswerOptions
  readonly #script: FakeScript
  readonly #gate: GrantGate
  readonly #outputTokens: number
  #hasBegun = false
  #completionTokens = 0
  #reasoningTokens = 0
  #toolIndex = -1

  constructor(options: FakeAnswerOptions) {
    const { id, request, contextTokens, send } = options
    this.#options = options
    this.#script = readScript(request)
    const { script, promptTokens } = this.#script
    // The context has room for a script of any length.
    const room = Math.max(contextTokens - promptTokens, script.filter(isToken).length)
    this.#outputTokens = Math.min(request.maxTokens ?? room, room)
    this.#gate = new GrantGate(this.#outputTokens, () => send({ id, wantsGrant: true }))
  }

  grant({ limit, isFinal }: Grant): void {
    this.#gate.give(Math.floor(limit.completionTokens / this.#options.request.choices), isFinal)
  }

  cancel(): void {
    this.#gate.close()
  }

  /** Returns the consumption so far. */
  usage(): Consumption {
    const { promptTokens, cachedTokens, prefillTokens = promptTokens } = this.#script
    const isPrefilled = this.#completionTokens > 0 || !this.#gate.isClosed
    const processed = isPrefilled ? promptTokens : prefillTokens
    const computed = this.#hasBegun ? processed : 0
    return {
      ...nothingConsumed,
      promptTokens: computed,
      cachedTokens: Math.min(cachedTokens, computed),
      completionTokens: this.#completionTokens,
      reasoningTokens: this.#reasoningTokens,
    }
  }

  /** Resolves with the request's last event. */
  async play(): Promise<RequestEvent<ChatEvent>> {
    const { id, request, send } = this.#options
    const { script, finish, stopString, isContextFull, isRepetition, promptTokens, cachedTokens } = this.#script
    const least = { ...nothingConsumed, promptTokens }
    const completionTokens = this.#outputTokens * request.choices
    send({ id, prepared: { least, most: { ...least, completionTokens } } })
    await this.#gate.opened()
    if (this.#gate.isClosed) return { id, cancelled: this.usage() }
    const problem = await this.#encode()
    if (problem !== undefined) return { id, error: problem }
    if (this.#gate.isClosed) return { id, cancelled: this.usage() }
    this.#hasBegun = true
    this.#send({ type: 'start', promptTokens, cachedTokens })
    let reason: FinishReason = finish
    for (const action of script) {
      if ('error' in action) return { id, error: action.error }
      const isCut = isToken(action) && !(await this.#gate.goesOn())
      if (!isCut) await this.#performForAll(action)
      if (this.#gate.isClosed) return { id, cancelled: this.usage() }
      if (!isCut) continue
      reason = 'length'
      break
    }
    const details = {
      reason,
      ...(stopString && { stopString }),
      ...(isContextFull && { isContextFull }),
      ...(isRepetition && { isRepetition }),
    }
    for (let choice = 0; choice < request.choices; choice++) this.#send({ type: 'choice-finish', choice, ...details })
    const imageTokens = picturesOf(request.messages).length * tokensOfPicture
    return { id, event: { type: 'finish', usage: this.usage(), ...(imageTokens > 0 && { imageTokens }) } }
  }

  /** Resolves with the request's error, if any. */
  async #encode(): Promise<ErrorData | undefined> {
    const { id, request, send } = this.#options
    const pictures = picturesOf(request.messages)
    if (pictures.length === 0) return undefined
    send({ id, encoding: pictures.map(({ hash }) => hash) })
    const problem = await pictureProblem(pictures)
    if (problem !== undefined) return problem
    for (const action of this.#script.encoding ?? []) {
      if ('error' in action) return action.error
      await performAction(action, this.#gate)
    }
    send({ id, encoding: [] })
    return undefined
  }

  async #performForAll(action: Exclude<FakeAction, { error: unknown }>): Promise<void> {
    const { choices } = this.#options.request
    if ('tool' in action) this.#toolIndex++
    for (let choice = 0; choice < choices; choice++) await this.#perform(action, choice)
    if (!isToken(action)) return
    this.#completionTokens += choices
    if ('reasoning' in action) this.#reasoningTokens += choices
    this.#gate.note(this.#completionTokens / choices)
  }

  async #perform(action: Exclude<FakeAction, { error: unknown }>, choice: number): Promise<void> {
    const { request } = this.#options
    if ('text' in action)
      this.#say(choice, action.text, request.topLogprobs === undefined ? undefined : action.logprobs)
    else if ('reasoning' in action) this.#send({ type: 'reasoning-delta', choice, text: action.reasoning })
    else if ('describePictures' in action)
      this.#say(choice, picturesOf(request.messages).map(describePicture).join(' '))
    else if ('echoRequest' in action) this.#say(choice, JSON.stringify(request))
    else if ('tool' in action) this.#call(action.tool, choice)
    else await performAction(action, this.#gate)
  }

  #say(choice: number, text: string, logprobs?: readonly TokenLogprob[]): void {
    this.#send({ type: 'text-delta', choice, text, ...(logprobs && { logprobs }) })
  }

  #call(tool: { readonly name: string; readonly arguments: readonly string[] }, choice: number): void {
    const index = this.#toolIndex
    this.#send({ type: 'tool-call-start', choice, index, name: tool.name })
    for (const argumentsText of tool.arguments) this.#send({ type: 'tool-call-delta', choice, index, argumentsText })
  }

  #send(event: ChatEvent): void {
    const { id, request, send } = this.#options
    const { choices, countsTokens = false } = request
    // An event's token is counted after the event is sent.
    const tokens = {
      completionTokens: this.#completionTokens / choices + (event.type === 'choice-finish' ? 0 : 1),
      reasoningTokens: this.#reasoningTokens / choices + (event.type === 'reasoning-delta' ? 1 : 0),
    }
    send({ id, event: countsTokens && 'choice' in event ? { ...event, tokens } : event })
  }
}
