/** An engine that answers schemas, at a temperature at which the weights have the least influence. */
import type { ChatEvent, SchemaOrigin } from '../core/chat.ts'
import type { JsonObject } from '../core/json.ts'
import { loadLlamaEngine } from '../engines/llama/engine.ts'
import type { RequestEvent } from '../engines/protocol/request-events.ts'
import { runtimePaths } from '../engines/runtime/runtime-paths.ts'
import { chatRequest } from './chat-request.ts'
import { testEngineSettings } from './engine-settings.ts'
import { testManifest } from './test-manifest.ts'

const sidesBySide = 16

interface AskOptions {
  /** Dialect of the schema. Absent if it needs no translation. */
  readonly origin?: SchemaOrigin
  readonly maxTokens?: number
}

/** Loads a model file. Returns a function that asks it for an answer to a schema, and rejects if it refuses. */
export async function startSchemaEngine(file: string) {
  const open = new Map<number, { events: ChatEvent[]; settle: PromiseWithResolvers<ChatEvent[]> }>()
  const engine = await loadLlamaEngine({
    model: {
      manifest: testManifest({
        id: 'test/random',
        engine: 'llama',
      }),
      filePaths: { model: file },
    },
    settings: { ...testEngineSettings, parallel: sidesBySide, contextTokens: sidesBySide * 512, requestTokens: 512 },
    runtime: await runtimePaths(''),
    isCautious: false,
    emit: (all) => {
      const items = all as readonly RequestEvent<ChatEvent>[] // it is asked for chats alone
      for (const item of items) {
        const request = open.get(item.id)
        if ('prepared' in item) engine.grant(item.id, { limit: item.prepared.most, isFinal: true })
        else if ('event' in item) request?.events.push(item.event)
        else if ('error' in item) request?.settle.reject(new Error(JSON.stringify(item.error)))
        if ('event' in item && item.event.type === 'finish') request?.settle.resolve(request.events)
      }
    },
  })
  return (answerSchema: JsonObject, seed: number, options: AskOptions = {}): Promise<ChatEvent[]> => {
    const { origin: answerSchemaOrigin, maxTokens = 400 } = options
    const settle = Promise.withResolvers<ChatEvent[]>()
    open.set(seed, { events: [], settle })
    const sampling = { temperature: 1, topK: 0, topP: 1, minP: 0, seed }
    const request = chatRequest({ answerSchema, answerSchemaOrigin, sampling, reasoning: { mode: 'off' }, maxTokens })
    engine.run(seed, `acc_${seed}`, { kind: 'chat', request })
    return settle.promise
  }
}
