/** An engine without a model, for tests: it does what the request's script says (see `script.ts`, `encode-script.ts`). */
import type { Usage } from '../../core/usage.ts'
import type { ChatEngine, EncodeEngine, LoadEngine } from '../engine.ts'
import type { EngineEvent, RequestEvent, TokenGrant } from '../protocol.ts'
import { FakeAnswer } from './answer.ts'
import { FakeEncodeWork } from './encode-work.ts'
import { readScript } from './script.ts'

/** Numbers of a vector where the manifest does not say. */
const defaultDimensions = 8

interface FakeWork {
  grant(grant: TokenGrant): void
  cancel(): void
  usage(): Usage
  play(): Promise<RequestEvent<EngineEvent>>
}

export const loadFakeEngine: LoadEngine = async ({ model, options, emit }) => {
  const works = new Map<number, FakeWork>()
  const totals = { steps: 0, decodedPromptTokens: 0, reusedPromptTokens: 0, generatedTokens: 0 }
  const send = (event: RequestEvent<EngineEvent>) => {
    totals.steps++
    emit([event])
  }
  const play = (id: number, work: FakeWork) => {
    works.set(id, work)
    void work.play().then((end) => {
      const { promptTokens, cachedTokens, completionTokens } = work.usage()
      totals.decodedPromptTokens += promptTokens - cachedTokens
      totals.reusedPromptTokens += cachedTokens
      totals.generatedTokens += completionTokens
      works.delete(id)
      send(end)
    })
  }
  const { contextTokens, parallel } = options
  const nativeDimensions = model.manifest.dimensions ?? defaultDimensions
  const engine: ChatEngine & EncodeEngine = {
    info: { device: 'cpu', description: 'fake', contextTokens, parallel },
    stats: () => ({ ...totals, running: works.size, waiting: 0 }),
    grant: (id, grant) => works.get(id)?.grant(grant),
    cancel: (id) => works.get(id)?.cancel(),
    count: (id, _accountId, request) => {
      const { promptTokens, cachedTokens } = readScript(request)
      emit([
        { id, event: { type: 'start', promptTokens, cachedTokens } },
        { id, done: true },
      ])
    },
    chat: (id, _accountId, request) => play(id, new FakeAnswer({ id, request, contextTokens, send })),
    encode: (id, _accountId, request) => play(id, new FakeEncodeWork({ id, request, nativeDimensions, send })),
  }
  return engine
}
