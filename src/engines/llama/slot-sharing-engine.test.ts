/** Accounts share the slots of the real starter model. */
import { expect, test } from 'bun:test'
import type { ChatEvent } from '../../core/chat.ts'
import { endBias, type Question, startStarterEngine } from '../../testing/starter-engine.ts'

const parallel = 4
// Separate caches: in a common one the order of cells, and so the last bits of a number, depend on other requests.
const options = { parallel, contextTokens: 4096, requestTokens: 1024 }
/** Steps that the engine had made when a request was prepared and began to wait for a slot. */
const preparedAtStep = new Map<number, number>()
const { engine, ask, send } = await startStarterEngine(options, {
  onPrepared: (id, { most }) => {
    preparedAtStep.set(id, engine.stats().steps)
    engine.grant(id, { limit: most, isFinal: true })
  },
})

const long: Question = {
  text: 'Tell a story of a cat.',
  choices: parallel,
  maxTokens: 150,
  sampling: { temperature: 0.8, seed: 7, logitBias: endBias },
}
const short: Question = { text: 'Hello!', maxTokens: 3, sampling: { temperature: 0, logitBias: endBias } }

/** Sends a request; `reached` resolves at its n-th event of a type, with the steps it took since it was prepared. */
function sendAndAwait(question: Question, accountId: string, type: ChatEvent['type'], count = 1) {
  const reached = Promise.withResolvers<number>()
  let left = count
  const { id, ended } = send(question, accountId, (event) => {
    if (event.type !== type || --left > 0) return
    reached.resolve(engine.stats().steps - (preparedAtStep.get(id) ?? Number.NaN))
  })
  return { reached: reached.promise, ended }
}

async function reply(ended: ReturnType<typeof send>['ended']) {
  const end = await ended
  if (!('events' in end)) throw new Error(`no answer: ${JSON.stringify(end)}`)
  return end
}

test('a short answer begins within a few steps beside an account that holds all slots', async () => {
  const alone = await ask(long, 'quiet')
  const greedy = sendAndAwait(long, 'greedy', 'text-delta', 80)
  await greedy.reached
  const other = sendAndAwait(short, 'other', 'text-delta')
  expect(await other.reached).toBeLessThan(6)
  expect((await reply(other.ended)).finish).toEqual(['length'])
  const beside = await reply(greedy.ended)
  expect(beside.texts).toEqual(alone.texts)
  expect(beside.usage).toEqual(alone.usage)
})

test('a request for all slots does not wait until all are free', async () => {
  const first = sendAndAwait({ ...short, maxTokens: 200 }, 'first', 'text-delta')
  await first.reached
  const many = sendAndAwait({ ...long, maxTokens: 20 }, 'many', 'start')
  expect(await many.reached).toBeLessThan(3)
  expect((await reply(many.ended)).finish).toEqual(['length', 'length', 'length', 'length'])
  expect((await reply(first.ended)).usage.completionTokens).toBe(200)
})

test('counters stay the sums of usages after answers were parked', async () => {
  const before = engine.stats()
  const replies = await Promise.all([
    ask({ ...long, text: 'One two three four five six seven?' }, 'one'),
    ask({ ...long, text: 'What is the capital of France, please?' }, 'two'),
    ...Array.from({ length: 6 }, (_, index) => ask(short, `more${index}`)),
  ])
  const after = engine.stats()
  const sum = (key: 'promptTokens' | 'cachedTokens' | 'completionTokens') =>
    replies.reduce((total, { usage }) => total + usage[key], 0)
  expect(after.generatedTokens - before.generatedTokens).toBe(sum('completionTokens'))
  expect(after.reusedPromptTokens - before.reusedPromptTokens).toBe(sum('cachedTokens'))
  expect(after.decodedPromptTokens - before.decodedPromptTokens).toBe(sum('promptTokens') - sum('cachedTokens'))
})
