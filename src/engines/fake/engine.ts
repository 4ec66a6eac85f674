/** An engine without a model, for tests: it does what the request's script says (see `script.ts`). */
import type { ChatEngine, LoadChatEngine } from '../engine.ts'
import type { RequestEvent } from '../protocol.ts'
import { FakeAnswer } from './answer.ts'
import { readScript } from './script.ts'

export const loadFakeEngine: LoadChatEngine = async ({ options, emit }) => {
  const answers = new Map<number, FakeAnswer>()
  const totals = { steps: 0, decodedPromptTokens: 0, reusedPromptTokens: 0, generatedTokens: 0 }
  const send = (event: RequestEvent) => {
    totals.steps++
    emit([event])
  }
  const engine: ChatEngine = {
    info: { device: 'cpu', description: 'fake', contextTokens: options.contextTokens, parallel: options.parallel },
    stats: () => ({ ...totals, running: answers.size, waiting: 0 }),
    grant: (id, grant) => answers.get(id)?.grant(grant),
    cancel: (id) => answers.get(id)?.cancel(),
    count: (id, _accountId, request) => {
      const { promptTokens, cachedTokens } = readScript(request)
      emit([
        { id, event: { type: 'start', promptTokens, cachedTokens } },
        { id, done: true },
      ])
    },
    chat: (id, _accountId, request) => {
      const answer = new FakeAnswer({ id, request, contextTokens: options.contextTokens, send })
      answers.set(id, answer)
      void answer.play().then((end) => {
        const { promptTokens, cachedTokens, completionTokens } = answer.usage()
        totals.decodedPromptTokens += promptTokens - cachedTokens
        totals.reusedPromptTokens += cachedTokens
        totals.generatedTokens += completionTokens
        answers.delete(id)
        send(end)
      })
    },
  }
  return engine
}
