/** A step loop on a simulated machine: its clock advances by the time that each step would take. */
import { Answer } from '../engines/llama/answer/answer.ts'
import { ReplyReader } from '../engines/llama/answer/reply-reader.ts'
import type { NativeBatch, NativeContext, NativeStepResult } from '../engines/llama/native.ts'
import { Sequences } from '../engines/llama/steps/sequences.ts'
import { StepLoop } from '../engines/llama/steps/step-loop.ts'
import { textFormat } from './chat-format.ts'
import { lastOf } from './grants.ts'
import type { SimulatedMachine } from './simulated-machines.ts'

export interface SimulatedRequest {
  readonly arrivesMs: number
  readonly accountId: string
  readonly promptTokens: number
  readonly answerTokens: number
}

/** Request with the time of each answer token. */
export interface SimulatedAnswer extends SimulatedRequest {
  readonly tokensMs: readonly number[]
}

export interface SimulatedStep {
  readonly startMs: number
  readonly ms: number
  readonly answers: number
  readonly promptRows: number
}

export interface SimulationOptions {
  readonly machine: SimulatedMachine
  readonly requests: readonly SimulatedRequest[]
  readonly sequences?: number
  readonly batchTokens?: number
  /** See `StepLimits`. */
  readonly pieceTokens?: number
  /** True for one KV cache for all sequences. */
  readonly isUnified?: boolean
  /** Returns a factor on the time of a step. */
  readonly noise?: () => number
  /** Returns the next request of the client whose answer has ended, like an agent's. Requests are numbered in order. */
  readonly next?: (request: number, nowMs: number) => SimulatedRequest | undefined
}

export interface Simulation {
  readonly answers: readonly SimulatedAnswer[]
  readonly steps: readonly SimulatedStep[]
  readonly endMs: number
}

/** Resolves when every answer is complete. */
export async function simulateSteps(options: SimulationOptions): Promise<Simulation> {
  const { machine, sequences: count = 32, batchTokens = 512, pieceTokens, isUnified = true, noise = () => 1 } = options
  const requests: SimulatedRequest[] = []
  const waiting: { readonly request: SimulatedRequest; readonly id: number }[] = []
  const tokensMs: number[][] = []
  const steps: SimulatedStep[] = []
  let nowMs = 0
  let unfinished = 0

  const send = (request: SimulatedRequest) => {
    waiting.push({ request, id: requests.push(request) - 1 })
    waiting.sort((a, b) => a.request.arrivesMs - b.request.arrivesMs)
    tokensMs.push([])
    unfinished++
  }
  for (const request of options.requests) send(request)

  const arrive = () => {
    while (waiting[0] !== undefined && waiting[0].request.arrivesMs <= nowMs) {
      const next = waiting.shift()
      if (next !== undefined) add(next.request, next.id)
    }
  }
  /** Sequences that generate answers. */
  const generating = new Set<number>()
  const step = async (batch: NativeBatch): Promise<NativeStepResult> => {
    // Events of the previous step are sent first.
    await Promise.resolve()
    const answers = batch.sequences.filter((sequence) => generating.has(sequence)).length
    const promptRows = batch.sequences.length - answers
    const ms = machine.stepMs(answers, promptRows) * noise()
    steps.push({ startMs: nowMs, ms, answers, promptRows })
    nowMs += ms
    for (const { entry } of batch.outputs) generating.add(batch.sequences[entry] ?? -1)
    // Requests that arrived during the step are there at its end.
    arrive()
    return { kind: 'ok', samples: batch.outputs.map(() => [{ token: 1, text: 'a' }]) }
  }
  const context: NativeContext = {
    ...{ contextTokens: 1_000_000, maxOutputs: 32, step, copySequence: () => undefined },
    removeSequence: (sequence, from) => {
      if (from === 0) generating.delete(sequence)
      return true
    },
    ...{
      minPosition: () => 0,
      maxPosition: () => 0,
      saveSequence: () => new Uint8Array(),
      restoreSequence: () => true,
    },
    ...{ memoryBreakdown: () => [], close: async () => undefined },
  }
  const cache = { shareCache: false, isRecurrent: false, slidingWindowTokens: 0, isUnified, parkedBytes: 0 }
  const sequences = new Sequences({ context, count, ...cache })
  let failure: unknown
  const unseen = () => Promise.reject(new Error('no request has pictures: this is a bug'))
  const loop = new StepLoop({
    ...{
      context,
      sequences,
      batchTokens,
      ...(pieceTokens !== undefined && { pieceTokens }),
      tileRows: machine.tileRows,
      draftLimits: { rows: 0, mostEach: 0, headTokens: undefined },
      threads: 1,
      nowMs: () => nowMs,
      onFatal: (error) => (failure ??= error),
    },
    pictures: {
      projector: { isNonCausal: false, prepare: unseen, drop: () => undefined, encode: unseen },
      ...{ cacheBytes: 0, preparedBytes: 0, shareCache: false, suspects: new Set<string>() },
    },
    emit: (events) => {
      for (const told of events) {
        if (!('event' in told)) continue
        if (told.event.type === 'text-delta') tokensMs[told.id]?.push(nowMs)
        if (told.event.type !== 'finish') continue
        unfinished--
        const next = options.next?.(told.id, nowMs)
        if (next !== undefined) send(next)
      }
    },
  })
  const add = ({ accountId, promptTokens, answerTokens }: SimulatedRequest, id: number) => {
    const answer = new Answer({
      ...{
        choice: 0,
        prompt: { units: new Array<number>(promptTokens).fill(2 + id), runs: [] },
        maxTokens: answerTokens,
      },
      newSampler: () => ({ acceptPrompt: () => undefined, grammarPlace: () => undefined, flush: () => '' }),
      ...{ reader: new ReplyReader(textFormat), model: { tokenBytes: () => new Uint8Array() } },
      ...{ wantsLogprobs: false, stops: [], repetitionLimit: undefined, isLimitedByContext: false },
    })
    const request = { id, accountId, promptTokens, outputTokens: answerTokens, isConstrained: false, answers: [answer] }
    loop.add(request, lastOf(answerTokens))
  }
  while (unfinished > 0 && failure === undefined) {
    // Nothing runs, so time advances to the next arrival.
    nowMs = Math.max(nowMs, waiting[0]?.request.arrivesMs ?? nowMs)
    arrive()
    await new Promise((resolve) => setImmediate(resolve))
  }
  if (failure !== undefined) throw failure
  return { answers: requests.map((request, id) => ({ ...request, tokensMs: tokensMs[id] ?? [] })), steps, endMs: nowMs }
}
