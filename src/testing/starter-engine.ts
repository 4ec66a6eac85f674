/** The llama engine with the starter model in this process. Each request is a promise. */
import { join } from 'node:path'
import type { ChatEvent, ChatRequest } from '../core/chat.ts'
import { textContent } from '../core/content.ts'
import type { ErrorData } from '../core/errors.ts'
import type { StepCurve } from '../core/step-costs.ts'
import type { Usage } from '../core/usage.ts'
import type { EngineSettings } from '../engines/engine-table.ts'
import { type LlamaKind, loadLlamaEngine } from '../engines/llama/engine.ts'
import type { LlamaSettings } from '../engines/llama/settings.ts'
import type { EngineSetup, LoadEngine } from '../engines/protocol/engine.ts'
import type { Estimate, Grant, RequestEvent } from '../engines/protocol/request-events.ts'
import { runtimePaths } from '../engines/runtime/runtime-paths.ts'
import { chatRequest } from './chat-request.ts'
import { testEngineSettings } from './engine-settings.ts'
import { testManifest } from './test-manifest.ts'

/** Path of the starter model's projector. */
export const starterProjector = join(import.meta.dir, '../../models/starter/starter-chat-mmproj-f16.gguf')

const root = join(import.meta.dir, '../..')

export interface Reply {
  /** Visible text per choice. */
  readonly texts: string[]
  readonly finish: string[]
  readonly usage: Usage
  readonly events: ChatEvent[]
}

export type Question = Partial<ChatRequest> & { readonly text?: string }

/** Handlers of the messages that a request sends besides its events. */
export interface Payment {
  readonly onPrepared?: (id: number, estimate: Estimate) => void
  readonly onWantsGrant?: (id: number) => void
  /** Called with the hashes of pictures whose encoding begins, and with none when it has ended. */
  readonly onEncoding?: (id: number, hashes: readonly string[]) => void
}

/** A request under way. */
interface Open {
  readonly events: ChatEvent[]
  readonly settle: (end: ChatEvent[] | ErrorData | Usage) => void
  readonly onEvent: (event: ChatEvent) => void
}

/**
 * Starts the engine. Each request has its own account unless it names one. Everything is granted unless `payment`
 * decides otherwise.
 */
export async function startStarterEngine(
  options: Partial<EngineSettings> = {},
  payment: Payment = {},
  modelFile = join(root, 'models/starter/starter-chat-q8_0.gguf'),
  projectorFile?: string,
  note?: EngineSetup<LlamaKind, LlamaSettings>['note'],
  load: LoadEngine<LlamaKind, LlamaSettings> = loadLlamaEngine,
  pastTokens: readonly number[] = [],
  stepCurves: readonly StepCurve[] = [],
) {
  const open = new Map<number, Open>()
  const {
    onPrepared = (id, { most }) => engine.grant(id, { limit: most, isFinal: true }),
    onWantsGrant = () => {
      throw new Error('a final grant is not extended')
    },
    onEncoding = () => undefined,
  } = payment
  const settle = (id: number, end: ChatEvent[] | ErrorData | Usage) => {
    open.get(id)?.settle(end)
    open.delete(id)
  }
  const emit = (all: readonly RequestEvent[]) => {
    const items = all as readonly RequestEvent<ChatEvent>[] // it is asked for chats and counts alone
    for (const item of items) {
      const request = open.get(item.id)
      if (request === undefined) throw new Error(`event for ended request ${item.id}`)
      if ('event' in item) {
        request.events.push(item.event)
        request.onEvent(item.event)
        if (item.event.type === 'finish') settle(item.id, request.events)
      } else if ('prepared' in item) onPrepared(item.id, item.prepared)
      else if ('wantsGrant' in item) onWantsGrant(item.id)
      else if ('encoding' in item) onEncoding(item.id, item.encoding)
      else settle(item.id, 'error' in item ? item.error : item.cancelled)
    }
  }
  const engine = await load({
    model: {
      manifest: testManifest({
        id: 'inferd/starter-chat',
        engine: 'llama',
      }),
      filePaths: { model: modelFile, ...(projectorFile !== undefined && { mmproj: projectorFile }) },
    },
    settings: { ...testEngineSettings, ...options },
    runtime: await runtimePaths(''),
    isCautious: false,
    note,
    pastTokens,
    stepCurves,
    emit,
  })
  let nextId = 1
  const send = (request: Question, accountId = `acc_${nextId}`, onEvent: Open['onEvent'] = () => undefined) => {
    const id = nextId++
    const ended = new Promise<ChatEvent[] | ErrorData | Usage>((settle) => {
      open.set(id, { events: [], settle, onEvent })
    })
    engine.run(id, accountId, { kind: 'chat', request: wholeRequest(request) })
    return { id, ended: ended.then((end) => (Array.isArray(end) ? toReply(end) : end)) }
  }
  const ask = async (request: Question, accountId?: string): Promise<Reply> => {
    const end = await send(request, accountId).ended
    if (!('events' in end)) throw new Error(`no answer: ${JSON.stringify(end)}`)
    return end
  }
  const refused = async (request: Question): Promise<ErrorData> => {
    const end = await send(request).ended
    if (!('kind' in end)) throw new Error('expected an error')
    return end
  }
  /** Runs a count. Resolves with its events or its error. */
  const count = (request: Question): Promise<ChatEvent[] | ErrorData | Usage> =>
    new Promise((settle) => {
      const id = nextId++
      open.set(id, { events: [], settle, onEvent: () => undefined })
      engine.run(id, 'acc_count', { kind: 'count', request: wholeRequest(request) })
    })
  const grant = (id: number, grant: Grant) => engine.grant(id, grant)
  return { engine, send, ask, refused, count, grant, cancel: (id: number) => engine.cancel(id) }
}

function wholeRequest({ text = 'Hello!', ...more }: Question): ChatRequest {
  const messages = [{ role: 'user' as const, content: textContent(text) }]
  return chatRequest({ messages, sampling: { temperature: 0 }, reasoning: { mode: 'off' }, ...more })
}

function toReply(events: ChatEvent[]): Reply {
  const texts: string[] = []
  const finish: string[] = []
  let usage: Usage | undefined
  for (const event of events) {
    if (event.type === 'text-delta') texts[event.choice] = (texts[event.choice] ?? '') + event.text
    if (event.type === 'choice-finish') finish[event.choice] = event.reason
    if (event.type === 'finish') usage = event.usage
  }
  if (usage === undefined) throw new Error('no finish event')
  return { texts, finish, usage, events }
}

/** Bias that bans the starter model's end tokens, so that an answer continues until it is stopped. */
export const endBias: readonly (readonly [number, number])[] = [2036, 2037, 2038].map((token) => [token, -100])
