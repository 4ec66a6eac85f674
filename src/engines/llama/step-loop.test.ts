/** The moments between two steps that real decoding passes too fast: here the test ends each step. */
import { expect, test } from 'bun:test'
import { textFormat } from '../../testing/chat-format.ts'
import type { RequestEvent, TokenGrant } from '../protocol.ts'
import { Answer } from './answer.ts'
import type { NativeBatch, NativeContext, NativeSampler, NativeStepResult } from './native.ts'
import { ReplyReader } from './reply-reader.ts'
import { Sequences } from './sequences.ts'
import { StepLoop } from './step-loop.ts'

const sampler: NativeSampler = { acceptPrompt: () => undefined, flush: () => '' }

function newAnswer(choice: number, prompt: readonly number[]): Answer {
  return new Answer({
    choice,
    prompt,
    maxTokens: 8,
    sampler,
    reader: new ReplyReader(textFormat),
    model: { tokenBytes: () => new Uint8Array() },
    wantsLogprobs: false,
    stops: [],
    isLimitedByContext: false,
  })
}

function startLoop() {
  const steps: { batch: NativeBatch; end: (result: NativeStepResult) => void }[] = []
  const context: NativeContext = {
    contextTokens: 64,
    step: (batch) => new Promise((end) => steps.push({ batch, end })),
    removeSequence: () => true,
    copySequence: () => undefined,
    minPosition: () => 0,
    maxPosition: () => 0,
    saveSequence: () => new Uint8Array(),
    restoreSequence: () => true,
    close: async () => undefined,
  }
  const emitted: RequestEvent[] = []
  const sequences = {
    context,
    count: 2,
    shareCache: false,
    isRecurrent: false,
    slidingWindowTokens: 0,
    isUnified: true,
    parkedBytes: 0,
  }
  const loop = new StepLoop({
    context,
    sequences: new Sequences(sequences),
    batchTokens: 32,
    emit: (events) => emitted.push(...events),
    onFatal: (error) => {
      throw error
    },
    nowMs: () => 0,
  })
  const add = (id: number, prompt: number[], grant: TokenGrant = { outputTokens: 8, isFinal: true }, choices = 1) => {
    const answers = Array.from({ length: choices }, (_, choice) => newAnswer(choice, prompt))
    const promptTokens = prompt.length
    const accountId = `acc_${id}`
    loop.add({ id, accountId, promptTokens, outputTokens: 8, isConstrained: false, answers }, grant)
  }
  /** Ends the step in flight and resolves when the loop has gone on. */
  const end = async (result: NativeStepResult) => {
    steps.at(-1)?.end(result)
    await new Promise((resolve) => setImmediate(resolve))
  }
  return { loop, add, end, steps, emitted }
}

test('a request cancelled while the cache ran full is never decoded again', async () => {
  const { loop, add, end, steps, emitted } = startLoop()
  add(1, [10, 11, 12])
  add(2, [20, 21])
  await end({ kind: 'ok', samples: [{ token: 30, text: 'a' }] })
  expect([...(steps[1]?.batch.tokens ?? [])]).toEqual([30, 20, 21])
  loop.cancel(2)
  await end({ kind: 'cache-full' })
  expect([...(steps[2]?.batch.tokens ?? [])]).toEqual([30])
  await end({ kind: 'ok', samples: [{ token: 31, text: '', end: 'end-of-generation' }] })
  expect(steps).toHaveLength(3)
  expect(emitted.at(-1)).toEqual({ id: 1, done: true })
  expect(loop.stats()).toMatchObject({ running: 0, waiting: 0 })
})
