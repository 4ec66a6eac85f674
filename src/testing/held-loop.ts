/** A step loop whose steps and encodings end when the test decides. */
import type { ChatEvent } from '../core/chat.ts'
import { Answer } from '../engines/llama/answer/answer.ts'
import { ReplyReader } from '../engines/llama/answer/reply-reader.ts'
import type { NativeBatch, NativeContext, NativeNextResult, NativeStepResult } from '../engines/llama/native.ts'
import type { NativePicture, NativePictureEmbeddings } from '../engines/llama/native-projector.ts'
import type { PromptLayout } from '../engines/llama/steps/prompt-layout.ts'
import { Sequences } from '../engines/llama/steps/sequences.ts'
import { StepLoop } from '../engines/llama/steps/step-loop.ts'
import { allGoOn } from '../engines/llama/steps/step-plan.ts'
import type { Grant, RequestEvent } from '../engines/protocol/request-events.ts'
import { textFormat } from './chat-format.ts'
import { lastOf } from './grants.ts'
import { type EncoderScript, scriptedProjector } from './scripted-projector.ts'

/** Token limit of each answer. */
export const outputTokens = 200

/** Grant that suffices for up to eight choices. */
export const everything: Grant = lastOf(8 * outputTokens)

export function newAnswer(
  choice: number,
  prompt: PromptLayout,
  maxTokens = outputTokens,
  stops: readonly string[] = [],
  promptScores?: number,
): Answer {
  return new Answer({
    choice,
    prompt,
    maxTokens,
    newSampler: () => ({ acceptPrompt: () => undefined, grammarPlace: () => undefined, flush: () => '' }),
    reader: new ReplyReader(textFormat),
    model: { tokenBytes: () => new Uint8Array() },
    wantsLogprobs: false,
    stops,
    repetitionLimit: undefined,
    isLimitedByContext: false,
    promptScores,
  })
}

interface Step {
  readonly batch: NativeBatch
  readonly threads: number | undefined
  readonly end: (result: NativeStepResult) => void
}

/** Pictures whose encoding is in flight. */
interface Encoding {
  readonly numbers: readonly number[]
  /** Names of these pictures. */
  readonly pictures: readonly string[]
  readonly end: (results: readonly (readonly NativePictureEmbeddings[])[]) => void
}

export interface HeldLoopOptions {
  readonly sequences?: number
  readonly batchTokens?: number
  readonly pictures?: EncoderScript & { readonly isNonCausal?: boolean }
  readonly imageCacheBytes?: number
  /** Limit of the bytes of pictures between decoding and encoding. */
  readonly preparedBytes?: number
  /** True if the test ends each decoding; otherwise pictures are decoded at once. */
  readonly holdsDecoding?: boolean
  /** Rows of a step for which tokens may be proposed. */
  readonly draftRows?: number
  readonly shareCache?: boolean
  /** True for one KV cache for all sequences, false for one each. */
  readonly isUnified?: boolean
  /** True if requests of an account share computed prompts. */
  readonly sharesPrompts?: boolean
  /** True if the next step begins by itself, as in the addon. */
  readonly goesOn?: boolean
  /** Names of suspect pictures. */
  readonly suspects?: readonly string[]
  /** Called for each event as it leaves the loop. */
  readonly onEvent?: (event: RequestEvent<ChatEvent>) => void
}

export function startHeldLoop({
  sequences = 2,
  batchTokens = 32,
  pictures: script = { pictures: [] },
  imageCacheBytes = 0,
  preparedBytes = Number.POSITIVE_INFINITY,
  holdsDecoding = false,
  draftRows = 0,
  shareCache = false,
  isUnified = true,
  sharesPrompts = false,
  goesOn = false,
  suspects = [],
  onEvent = () => undefined,
}: HeldLoopOptions = {}) {
  const encodings: Encoding[] = []
  const removed: (readonly [sequence: number, from: number])[] = []
  let encoding: Encoding | undefined
  const scripted = scriptedProjector(script)
  const decodings: string[] = []
  let endHeldDecoding: (() => void) | undefined
  const projector = {
    isNonCausal: script.isNonCausal ?? false,
    prepare: async (picture: NativePicture) => {
      decodings.push(picture.path.replace('/spool/', ''))
      if (holdsDecoding) {
        await new Promise<void>((resolve) => {
          endHeldDecoding = resolve
        })
      }
      return scripted.prepared(picture)
    },
    drop: scripted.drop,
    encode: (numbers: readonly number[]) =>
      new Promise<readonly (readonly NativePictureEmbeddings[])[]>((resolve) => {
        encoding = { numbers, pictures: numbers.map(scripted.nameOf), end: resolve }
        encodings.push(encoding)
      }),
  }
  const steps: Step[] = []
  let held: Step | undefined
  const hold = (batch: NativeBatch, threads?: number) =>
    new Promise<NativeStepResult>((resolve) => {
      held = { batch, threads, end: (result) => resolve(result) }
      steps.push(held)
    })
  /** Step that begins after the one in flight. */
  let waiting: { readonly settle: (result: NativeNextResult) => void; isDropped: boolean } | undefined
  const nextStep = () => {
    if (held === undefined) return undefined
    return new Promise<NativeNextResult>((settle) => {
      waiting = { settle, isDropped: false }
    })
  }
  const dropNextStep = () => {
    if (waiting !== undefined) waiting.isDropped = true
  }
  /** Begins the waiting step, if any, after a step with this result. */
  const goOnBehind = ({ batch, threads }: Step, result: NativeStepResult) => {
    const next = waiting
    waiting = undefined
    if (next === undefined) return
    if (next.isDropped || !allGoOn(result) || result.kind !== 'ok') return next.settle({ kind: 'skipped' })
    const tokens = Int32Array.from(result.samples, ([sample]) => sample?.token ?? -1)
    held = {
      batch: { ...batch, tokens, positions: batch.positions.map((each) => each + 1) },
      threads,
      end: next.settle,
    }
    steps.push(held)
  }
  const context: NativeContext = {
    contextTokens: 1024,
    maxOutputs: 32,
    step: hold,
    removeSequence: (sequence, from) => {
      removed.push([sequence, from])
      return true
    },
    copySequence: () => undefined,
    minPosition: () => 0,
    maxPosition: () => 0,
    saveSequence: () => new Uint8Array(),
    restoreSequence: () => true,
    memoryBreakdown: () => [],
    close: async () => undefined,
  }
  const emitted: RequestEvent<ChatEvent>[] = []
  /** Constant by default: then every step costs the same, and every likely token is proposed. */
  let nowMs = 0
  const loop = new StepLoop({
    context: goesOn ? { ...context, nextStep, dropNextStep } : context,
    sequences: new Sequences({
      context,
      count: sequences,
      shareCache: false,
      isRecurrent: false,
      slidingWindowTokens: 0,
      isUnified,
      parkedBytes: sharesPrompts ? 1 : 0,
    }),
    pictures: {
      projector,
      cacheBytes: imageCacheBytes,
      preparedBytes,
      shareCache,
      suspects: new Set(suspects),
    },
    batchTokens,
    tileRows: 1,
    draftLimits: { rows: draftRows, mostEach: Number.POSITIVE_INFINITY, headTokens: undefined },
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
    nowMs: () => (draftRows > 0 ? nowMs++ : nowMs),
  })
  const add = (
    id: number,
    prompt: number[] | PromptLayout,
    grant = everything,
    choices = 1,
    accountId = `acc_${id}`,
    stops: readonly string[] = [],
  ) => {
    const layout = Array.isArray(prompt) ? { units: prompt, runs: [] } : prompt
    const answers = Array.from({ length: choices }, (_, choice) => newAnswer(choice, layout, outputTokens, stops))
    const promptTokens = layout.units.length
    loop.add({ id, accountId, promptTokens, outputTokens, isConstrained: false, answers }, grant)
  }
  const next = () => new Promise((resolve) => setImmediate(resolve))
  /**
   * Ends the encoding in flight, with results for its first `count` pictures, and resolves once the loop has continued.
   */
  const endEncoding = async (count = 1) => {
    if (encoding === undefined) await next() // its pictures are being decoded
    const ended = encoding
    if (ended === undefined) throw new Error('nothing is being encoded')
    encoding = undefined
    ended.end(ended.numbers.slice(0, count).map(scripted.encoded))
    await next()
  }
  /** Ends the decoding in flight, and resolves once the loop has continued. */
  const endDecoding = async () => {
    const end = endHeldDecoding
    if (end === undefined) throw new Error('nothing is being decoded')
    endHeldDecoding = undefined
    end()
    await next()
  }
  /** Ends the step in flight, and resolves once the loop has continued. */
  const end = async (result: NativeStepResult) => {
    const step = held
    if (step === undefined) throw new Error('no step is in flight')
    held = undefined
    goOnBehind(step, result)
    step.end(result)
    await next()
  }
  /** Ends this many steps, each with one piece of text per output. */
  const goOn = async (count = 1) => {
    for (let step = 0; step < count; step++) {
      const samples = held?.batch.outputs.map((_, index) => [{ token: 100 + index, text: 'a' }]) ?? []
      await end({ kind: 'ok', samples })
    }
  }
  return {
    loop,
    add,
    end,
    goOn,
    endEncoding,
    endDecoding,
    /** Resolves once the loop has continued after decodings that ended at once. */
    settle: next,
    steps,
    /** Removals from the cache: sequence and first position. */
    removed,
    encodings,
    /** Names of pictures whose decoding has begun. */
    decodings,
    /** Returns the names of pictures that are decoded and neither encoded nor dropped. */
    ready: scripted.ready,
    /** Returns whether a decoding is in flight. */
    isDecoding: () => endHeldDecoding !== undefined,
    /** Lets time pass for the step in flight. */
    passMs: (ms: number) => {
      nowMs += ms
    },
    /** Returns the kind of the work in flight. */
    doing: () => (encoding !== undefined ? 'encoding' : held === undefined ? 'nothing' : kindOf(held.batch)),
    emitted,
    /** Returns the sequences in the current step. */
    decoding: () => [...new Set(held?.batch.sequences ?? [])],
    /** Returns the events of request `id` other than deltas. */
    told: (id: number) =>
      emitted.filter((item) => item.id === id && !('event' in item && item.event.type === 'text-delta')),
    textTokens: (id: number) =>
      emitted.filter((item) => item.id === id && 'event' in item && item.event.type === 'text-delta').length,
  }
}

function kindOf({ embeddings }: NativeBatch): 'tokens' | 'pictures' {
  return embeddings === undefined ? 'tokens' : 'pictures'
}
