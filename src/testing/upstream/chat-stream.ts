/** Plays a script of the fake engine (`engines/fake/script.ts`) as the stream of another kind of server. */
import { createHash } from 'node:crypto'
import type { TokenLogprob } from '../../core/chat.ts'
import { textContent } from '../../core/content.ts'
import { describePicture } from '../../engines/fake/pictures.ts'
import { type FakeAction, type FakeScript, isToken, readScript } from '../../engines/fake/script.ts'
import { readHeader } from '../../images/header/read-header.ts'
import { chatRequest } from '../chat-request.ts'
import type { Exchange } from './exchange.ts'
import type { Quirks } from './quirks.ts'

/** Fields of a body that the script uses. */
export interface ScriptedBody {
  readonly model?: string
  readonly messages?: readonly ScriptedMessage[]
  readonly prompt?: string | readonly number[]
  readonly max_tokens?: number
  readonly max_completion_tokens?: number
  readonly logprobs?: boolean | number
  readonly stream_options?: { readonly include_usage?: boolean; readonly continuous_usage_stats?: boolean }
  readonly timings_per_token?: boolean
}

interface ScriptedMessage {
  readonly role: string
  readonly content?: string | readonly ScriptedPart[] | null
}

type ScriptedPart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image_url'; readonly image_url: { readonly url: string } }

/** One choice of a chunk. */
type Choice = Readonly<Record<string, unknown>>

/**
 * Plays the script in the last user message or the prompt, at most `max_tokens` tokens. `prefix` is a word before the
 * first one.
 */
export async function playChatStream(
  exchange: Exchange,
  body: ScriptedBody,
  quirks: Quirks,
  prefix?: string,
): Promise<void> {
  const stream = new ChatStream(exchange, body, quirks, prefix)
  await exchange.begin()
  await stream.play()
}

class ChatStream {
  readonly #exchange: Exchange
  readonly #body: ScriptedBody
  readonly #quirks: Quirks
  readonly #script: FakeScript
  #completionTokens = 0
  #reasoningTokens = 0
  #calls = 0

  constructor(exchange: Exchange, body: ScriptedBody, quirks: Quirks, prefix: string | undefined) {
    this.#exchange = exchange
    this.#body = body
    this.#quirks = quirks
    const script = scriptOf(body)
    this.#script = prefix === undefined ? script : withPrefix(script, prefix)
  }

  async play(): Promise<void> {
    const { script, finish, stopString } = this.#script
    const { max_tokens, max_completion_tokens = max_tokens ?? Number.POSITIVE_INFINITY } = this.#body
    if (this.#quirks.hasRoleChunk && this.#body.messages !== undefined) {
      await this.#delta({ role: 'assistant', content: this.#quirks.hasNulls ? null : '' })
    }
    let reason: string = finish === 'tool-calls' ? 'tool_calls' : finish
    for (const action of script) {
      if (this.#exchange.isClosed) return
      if (isToken(action) && this.#completionTokens >= max_completion_tokens) {
        reason = 'length'
        break
      }
      if (!(await this.#perform(action))) return
    }
    const { stopString: stopField } = this.#quirks
    const stopped = stopField !== 'none' && stopString !== undefined && reason === 'stop'
    await this.#chunk({
      ...this.#empty(),
      finish_reason: reason,
      ...(stopped && { [stopField]: stopString }),
    })
    await this.#lastUsage()
    if (this.#quirks.hasDone) await this.#exchange.event('[DONE]')
    await this.#exchange.end()
  }

  /** Resolves with false if the action ends the answer. */
  async #perform(action: FakeAction): Promise<boolean> {
    if (isToken(action)) this.#completionTokens++
    if ('text' in action) await this.#say(action.text, action.logprobs)
    else if ('reasoning' in action) await this.#think(action.reasoning)
    else if ('tool' in action) await this.#call(action.tool)
    else if ('describePictures' in action) await this.#say(picturesIn(this.#body).map(describe).join(' '))
    else if ('echoRequest' in action) await this.#say(JSON.stringify(this.#body))
    else if ('delayMs' in action) await Promise.race([Bun.sleep(action.delayMs), this.#exchange.closedAtMs])
    else if ('waitForCancel' in action) await this.#exchange.closedAtMs
    else if ('crash' in action) this.#exchange.cut()
    else if ('error' in action) return this.#fail(action.error.message)
    return !this.#exchange.isClosed
  }

  async #fail(message: string): Promise<false> {
    await this.#exchange.event({ error: { message, type: 'InternalServerError', code: 500 } })
    await this.#exchange.event('[DONE]')
    await this.#exchange.end()
    return false
  }

  async #say(text: string, logprobs?: readonly TokenLogprob[]): Promise<void> {
    if (this.#body.messages === undefined) await this.#chunk({ text, finish_reason: null })
    else await this.#delta({ content: text }, this.#body.logprobs === true ? logprobs : undefined)
  }

  async #think(text: string): Promise<void> {
    this.#reasoningTokens++
    const { reasoning } = this.#quirks
    await this.#delta(reasoning === 'both' ? { reasoning: text, reasoning_content: text } : { [reasoning]: text })
  }

  async #call({ name, arguments: pieces }: { name: string; arguments: readonly string[] }): Promise<void> {
    const index = this.#calls++
    const id = this.#quirks.hasToolIds ? { id: `call-${index}` } : {}
    await this.#delta({ tool_calls: [{ index, ...id, type: 'function', function: { name, arguments: '' } }] })
    for (const piece of pieces) await this.#delta({ tool_calls: [{ index, function: { arguments: piece } }] })
  }

  #empty(): Choice {
    return this.#body.messages === undefined ? { text: '' } : { delta: {} }
  }

  async #delta(delta: Readonly<Record<string, unknown>>, logprobs?: readonly TokenLogprob[]): Promise<void> {
    const content = logprobs?.map(({ alternatives, ...token }) => ({ ...token, top_logprobs: alternatives }))
    const nulls = this.#quirks.hasNulls ? { content: null, reasoning_content: null, tool_calls: null } : {}
    await this.#chunk({
      delta: { ...nulls, ...delta },
      logprobs: content === undefined ? null : { content },
      finish_reason: null,
    })
  }

  async #chunk(choice: Choice): Promise<void> {
    if (this.#quirks.hasComments) await this.#exchange.send(': keepalive\n\n')
    const { continuous_usage_stats } = this.#body.stream_options ?? {}
    const isCounted = this.#quirks.usage === 'each' && continuous_usage_stats === true
    await this.#exchange.event({
      ...this.#base(),
      choices: [{ index: 0, ...choice }],
      ...(isCounted && { usage: this.#usage() }),
      ...(this.#quirks.hasTimings && this.#body.timings_per_token && { timings: this.#timings() }),
    })
  }

  async #lastUsage(): Promise<void> {
    if (this.#quirks.usage === 'none' || this.#body.stream_options?.include_usage !== true) return
    await this.#exchange.event({ ...this.#base(), choices: [], usage: this.#usage() })
  }

  #base() {
    const isChat = this.#body.messages !== undefined
    const object = isChat ? 'chat.completion.chunk' : 'text_completion'
    return { id: 'chatcmpl-1', object, created: 1_700_000_000, model: this.#body.model }
  }

  #usage() {
    const { promptTokens, cachedTokens } = this.#script
    const { reasoningTokens } = this.#quirks
    return {
      prompt_tokens: promptTokens,
      completion_tokens: this.#completionTokens,
      total_tokens: promptTokens + this.#completionTokens,
      prompt_tokens_details: { cached_tokens: cachedTokens },
      ...(reasoningTokens === 'top' && { reasoning_tokens: this.#reasoningTokens }),
      ...(reasoningTokens === 'details' && { completion_tokens_details: { reasoning_tokens: this.#reasoningTokens } }),
    }
  }

  #timings() {
    const { promptTokens, cachedTokens } = this.#script
    return { cache_n: cachedTokens, prompt_n: promptTokens - cachedTokens, predicted_n: this.#completionTokens }
  }
}

function withPrefix(script: FakeScript, prefix: string): FakeScript {
  const first = script.script.findIndex(isToken)
  return { ...script, script: script.script.toSpliced(Math.max(0, first), 0, { text: `${prefix} ` }) }
}

function scriptOf(body: ScriptedBody): FakeScript {
  const { messages = [], prompt, max_tokens, max_completion_tokens = max_tokens } = body
  const limit = max_completion_tokens === undefined ? {} : { maxTokens: max_completion_tokens }
  if (prompt !== undefined) {
    const text = typeof prompt === 'string' ? prompt : prompt.join(' ')
    return readScript({ ...chatRequest(limit), messages: [], prompts: [{ kind: 'text', text, param: 'prompt' }] })
  }
  const last = messages.at(-1)
  const user = messages.findLast(({ role }) => role === 'user')
  const pictures = picturesIn(body).length
  const script = readScript({
    ...chatRequest(limit),
    messages: [
      { role: 'user', content: textContent(user === undefined ? '' : shownText(user)) },
      ...(last?.role === 'tool' ? [{ role: 'tool' as const, content: [] }] : []),
    ],
  })
  return pictures === 0 ? script : { ...script, promptTokens: script.promptTokens + pictures * 64 }
}

/** Returns the script; without one the whole text, with pictures described as by the fake engine. */
function shownText({ content }: ScriptedMessage): string {
  const parts = partsOf(content)
  const text = parts.map((part) => (part.type === 'text' ? part.text : '')).join('')
  if (text.startsWith('{"script":')) return text
  return parts.map((part) => (part.type === 'text' ? part.text : describe(part.image_url.url))).join('')
}

function partsOf(content: ScriptedMessage['content']): readonly ScriptedPart[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }]
  return content ?? []
}

/** Returns the URLs of all pictures. */
function picturesIn({ messages = [] }: ScriptedBody): readonly string[] {
  return messages
    .flatMap(({ content }) => partsOf(content))
    .flatMap((part) => (part.type === 'image_url' ? [part.image_url.url] : []))
}

function describe(url: string): string {
  const bytes = Buffer.from(url.slice(url.indexOf(',') + 1), 'base64')
  const hash = createHash('sha256').update(bytes).digest('hex')
  return describePicture({ ...readHeader(bytes), hash, type: 'image', path: '', detail: 'auto', param: '' })
}
