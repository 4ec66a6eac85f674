/** A step loop whose steps end when the test says so. */
import type { ChatEvent } from '../core/chat.ts'
import { Answer } from '../engines/llama/answer/answer.ts'
import { ReplyReader } from '../engines/llama/answer/reply-reader.ts'
import type { NativeBatch, NativeContext, NativeSampler, NativeStepResult } from '../engines/llama/native.ts'
import { Sequences } from '../engines/llama/steps/sequences.ts'
import { StepLoop } from '../engines/llama/steps/step-loop.ts'
import type { Grant, RequestEvent } from '../engines/protocol.ts'
import { textFormat } from './chat-format.ts'
import { lastOf } from './grants.ts'

/** Most tokens of each answer. */
export const outputTokens = 200

/** For eight choices and fewer. */
export const everything: Grant = lastOf(8 * outputTokens)

const sampler: NativeSampler = { acceptPrompt: () => undefined, grammarPlace: () => undefined, flush: () => '' }

function newAnswer(choice: number, prompt: readonly number[]): Answer {
  return new Answer({
    choice,
    prompt,
    maxTokens: outputTokens,
    sampler,
    reader: new ReplyReader(textFormat),
    model: { tokenBytes: () => new Uint8Array() },
    wantsLogprobs: false,
    stops: [],
    repetitionLimit: undefined,
    isLimitedByContext: false,
  })
}

interface Step {
  readonly batch: NativeBatch
  readonly threads: number | undefined
  readonly end: (result: NativeStepResult) => void
}

export interface HeldLoopOptions {
  readonly sequences?: number
  readonly batchTokens?: number
  /** Called for each event as it leaves the loop. */
  readonly onEvent?: (event: RequestEvent<ChatEvent>) => void
}

export function startHeldLoop({ sequences = 2, batchTokens = 32, onEvent = () => undefined }: HeldLoopOptions = {}) {
  const steps: Step[] = []
  let held: Step | undefined
  const hold = (batch: NativeBatch, threads?: number) =>
    new Promise<NativeStepResult>((resolve) => {
      held = { batch, threads, end: (result) => resolve(result) }
      steps.push(held)
    })
  const context: NativeContext = {
    contextTokens: 1024,
    step: hold,
    removeSequence: () => true,
    copySequence: () => undefined,
    minPosition: () => 0,
    maxPosition: () => 0,
    saveSequence: () => new Uint8Array(),
    restoreSequence: () => true,
    memoryBreakdown: () => [],
    close: async () => undefined,
  }
  const emitted: RequestEvent<ChatEvent>[] = []
  const loop = new StepLoop({
    context,
    sequences: new Sequences({
      context,
      count: sequences,
      shareCache: false,
      isRecurrent: false,
      slidingWindowTokens: 0,
      isUnified: true,
      parkedBytes: 0,
    }),
    batchTokens,
    threads: 4,
    emit: (events) => {
      for (const event of events) {
        emitted.push(event)
        onEvent(event)
      }
    },
    onFatal: (error) => {
      throw error
    },
    nowMs: () => 0,
  })
  const add = (id: number, prompt: number[], grant = everything, choices = 1) => {
    const answers = Array.from({ length: choices }, (_, choice) => newAnswer(choice, prompt))
    const promptTokens = prompt.length
    loop.add({ id, accountId: `acc_${id}`, promptTokens, outputTokens, isConstrained: false, answers }, grant)
  }
  /** Ends the step in flight and resolves when the loop has gone on. */
  const end = async (result: NativeStepResult) => {
    const step = held
    if (step === undefined) throw new Error('no step is in flight')
    held = undefined
    step.end(result)
    await new Promise((resolve) => setImmediate(resolve))
  }
  /** Ends that many steps, each with a piece of text. */
  const goOn = async (count = 1) => {
    for (let step = 0; step < count; step++) {
      const samples = held?.batch.outputs.map((_, index) => ({ token: 100 + index, text: 'a' })) ?? []
      await end({ kind: 'ok', samples })
    }
  }
  return {
    loop,
    add,
    end,
    goOn,
    steps,
    emitted,
    /** Sequences that are being decoded now. */
    decoding: () => [...new Set(held?.batch.sequences ?? [])],
    /** What request `id` was told beside deltas. */
    told: (id: number) =>
      emitted.filter((item) => item.id === id && !('event' in item && item.event.type === 'text-delta')),
    textTokens: (id: number) =>
      emitted.filter((item) => item.id === id && 'event' in item && item.event.type === 'text-delta').length,
  }
}
