/** An engine without a model, for tests: it does what the request's script says (see `script.ts`). */
import type { ChatEvent, ChatRequest } from '../../core/chat.ts'
import type { Engine, LoadEngine } from '../engine.ts'
import type { RequestEvent } from '../protocol.ts'
import { type FakeAction, readScript } from './script.ts'

export const loadFakeEngine: LoadEngine = async ({ options, emit }) => {
  const cancels = new Map<number, AbortController>()
  let steps = 0
  const engine: Engine = {
    info: { device: 'cpu', description: 'fake', contextTokens: options.contextTokens, parallel: options.parallel },
    stats: () => ({ steps, running: cancels.size, waiting: 0 }),
    cancel: (id) => {
      cancels.get(id)?.abort()
      cancels.delete(id)
    },
    count: (id, _accountId, request) => {
      const { promptTokens, cachedTokens } = readScript(request)
      emit([
        { id, event: { type: 'start', promptTokens, cachedTokens } },
        { id, done: true },
      ])
    },
    chat: (id, _accountId, request) => {
      const cancel = new AbortController()
      cancels.set(id, cancel)
      const step = (event: RequestEvent) => {
        steps++
        emit([event])
      }
      void play(id, request, step, cancel.signal)
        .then((end) => end !== undefined && step(end))
        .finally(() => cancels.delete(id))
    },
  }
  return engine
}

/** Resolves with the request's last event, or undefined when it was cancelled. */
async function play(
  id: number,
  request: ChatRequest,
  step: (event: RequestEvent) => void,
  signal: AbortSignal,
): Promise<RequestEvent | undefined> {
  const { script, finish, stopString, isContextFull, promptTokens, cachedTokens } = readScript(request)
  const send = (event: ChatEvent) => step({ id, event })
  send({ type: 'start', promptTokens, cachedTokens })
  let toolIndex = -1
  for (const action of script) {
    if ('tool' in action) toolIndex++
    if ('error' in action) return { id, error: action.error }
    for (let choice = 0; choice < request.choices; choice++) {
      await perform(action, { request, choice, toolIndex, send, signal })
    }
    if (signal.aborted) return undefined
  }
  const details = { reason: finish, ...(stopString && { stopString }), ...(isContextFull && { isContextFull }) }
  for (let choice = 0; choice < request.choices; choice++) send({ type: 'choice-finish', choice, ...details })
  const reasoning = script.filter((action) => 'reasoning' in action).length
  const visible = script.filter((action) => 'text' in action || 'echoRequest' in action || 'tool' in action).length
  send({
    type: 'finish',
    usage: {
      promptTokens,
      cachedTokens,
      completionTokens: (reasoning + visible) * request.choices,
      reasoningTokens: reasoning * request.choices,
    },
  })
  return { id, done: true }
}

interface Turn {
  readonly request: ChatRequest
  readonly choice: number
  readonly toolIndex: number
  readonly send: (event: ChatEvent) => void
  readonly signal: AbortSignal
}

async function perform(
  action: Exclude<FakeAction, { error: unknown }>,
  { request, choice, toolIndex, send, signal }: Turn,
): Promise<void> {
  if ('text' in action) send({ type: 'text-delta', choice, text: action.text })
  else if ('reasoning' in action) send({ type: 'reasoning-delta', choice, text: action.reasoning })
  else if ('echoRequest' in action) send({ type: 'text-delta', choice, text: JSON.stringify(request) })
  else if ('tool' in action) {
    send({ type: 'tool-call-start', choice, index: toolIndex, name: action.tool.name })
    for (const argumentsText of action.tool.arguments) {
      send({ type: 'tool-call-delta', choice, index: toolIndex, argumentsText })
    }
  } else if ('log' in action) process.stderr.write(`${action.log}\n`)
  else if ('delayMs' in action) await Bun.sleep(action.delayMs)
  else if ('waitForCancel' in action) await aborted(signal)
  else if (action.crash === 'exit') process.exit(7)
  else process.abort()
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve()
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
}
