/** A KV cache that records its content, and refuses calls that the real one would refuse or compute wrongly. */
import type {
  NativeBatch,
  NativeNextResult,
  NativeSample,
  NativeSampler,
  NativeStepper,
  NativeStepResult,
} from '../engines/llama/native.ts'
import { allGoOn } from '../engines/llama/steps/step-plan.ts'

/** A token, or the number that stands for a picture's embedding (`scripted-projector.ts`), with its position. */
export interface Cell {
  readonly position: number
  readonly value: number
}

export interface RecordedContextOptions {
  readonly sequences: number
  readonly hasManyDimensions: boolean
  readonly isRecurrent: boolean
  /** Window in tokens. 0 keeps all tokens. */
  readonly slidingWindowTokens: number
  /** Returns whether the cache has no room for a batch. A single sequence always has room. */
  readonly isFull: () => boolean
  /** Returns the token that follows the cells of a sequence. */
  readonly sample: (cells: readonly Cell[], sampler: NativeSampler) => number
}

export function recordedContext(options: RecordedContextOptions): NativeStepper {
  const { hasManyDimensions, isRecurrent, slidingWindowTokens } = options
  let cells = Array.from({ length: options.sequences }, (): readonly Cell[] => [])
  const at = (index: number) => cells[index] ?? []
  const put = (index: number, held: readonly Cell[]) => {
    cells = cells.with(index, held)
  }
  const last = (index: number) => Math.max(-1, ...at(index).map(({ position }) => position))

  const decode = ({ tokens, embeddings, positions, sequences }: NativeBatch) => {
    const values = embeddings ?? tokens
    const isShared = embeddings !== undefined && hasManyDimensions
    if (values.length !== sequences.length) throw new RangeError('not as many values as entries')
    if (positions.length !== sequences.length * (isShared ? 4 : 1))
      throw new RangeError('not as many positions as entries')
    for (const [entry, sequence] of sequences.entries()) {
      const position = positions[entry] ?? -1
      const next = last(sequence) + 1
      if (position < next - (isShared ? 1 : 0) || (position > next && !hasManyDimensions)) {
        throw new RangeError(`sequence ${sequence} goes on at ${next}, not at ${position}`)
      }
      put(sequence, [...at(sequence), { position, value: values[entry] ?? Number.NaN }])
    }
  }

  /** Frees the cells before the window. The real cache does so when it needs them. */
  const forget = (index: number) => {
    if (slidingWindowTokens === 0) return
    const first = last(index) - slidingWindowTokens + 1
    put(
      index,
      at(index).filter(({ position }) => position >= first),
    )
  }

  const compute = async (batch: NativeBatch): Promise<NativeStepResult> => {
    await Promise.resolve()
    const used = new Set([...batch.sequences, ...cells.keys().filter((index) => at(index).length > 0)])
    if (used.size > 1 && options.isFull()) return { kind: 'cache-full' }
    decode(batch)
    const samples = batch.outputs.map(({ entry, sampler, drafts = 0 }) => {
      const cells = at(batch.sequences[entry] ?? -1)
      const taken: NativeSample[] = []
      for (let row = 0; row <= drafts; row++) {
        const token = options.sample(cells.slice(0, cells.length - drafts + row), sampler)
        taken.push({ token, text: 'a' })
        if (token !== batch.tokens[entry + row + 1]) break
      }
      return taken
    })
    for (const sequence of new Set(batch.sequences)) forget(sequence)
    return { kind: 'ok', samples }
  }

  /** Unfinished steps. A step occupies the context, as in the real one. */
  let steps: { readonly batch: NativeBatch; readonly result: Promise<NativeNextResult>; isDropped: boolean }[] = []
  const begin = (batch: NativeBatch, result: Promise<NativeNextResult>) => {
    const begun = { batch, result, isDropped: false }
    steps.push(begun)
    void result.then(() => {
      steps = steps.filter((each) => each !== begun)
    })
    return begun
  }
  const refuseDuringStep = () => {
    if (steps.length > 0) throw new Error('a step is running')
  }
  const step = (batch: NativeBatch) => {
    refuseDuringStep()
    const result = compute(batch)
    begin(batch, result)
    return result
  }
  const nextStep = () => {
    const [earlier, waiting] = steps
    if (earlier === undefined) return undefined
    if (waiting !== undefined) throw new Error('a step waits already')
    const { outputs, sequences, positions } = earlier.batch
    if (outputs.length !== sequences.length) throw new Error('no step can follow prompts')
    const next = {
      ...earlier.batch,
      tokens: new Int32Array(sequences.length),
      positions: positions.map((each) => each + 1),
    }
    const follow = async (): Promise<NativeNextResult> => {
      const ended = await earlier.result
      if (ended.kind !== 'ok' || begun.isDropped || !allGoOn(ended)) return { kind: 'skipped' }
      for (const [entry, [sample]] of ended.samples.entries()) next.tokens[entry] = sample?.token ?? -1
      return compute(next)
    }
    const begun: (typeof steps)[number] = begin(next, follow())
    return begun.result
  }

  return {
    contextTokens: 1_000_000,
    maxOutputs: 32,
    step,
    nextStep,
    dropNextStep: () => {
      const last = steps.at(-1)
      if (last !== undefined) last.isDropped = true
    },
    removeSequence: (index, from) => {
      refuseDuringStep()
      const kept = at(index).filter(({ position }) => position < from)
      if (isRecurrent && kept.length > 0 && kept.length < at(index).length) return false
      put(index, kept)
      return true
    },
    copySequence: (source, target, from, to) => {
      refuseDuringStep()
      if (at(target).length > 0) throw new Error('a sequence is copied over another')
      put(
        target,
        at(source).filter(({ position }) => position >= from && (to < 0 || position < to)),
      )
    },
    minPosition: (index) => (at(index).length === 0 ? -1 : Math.min(...at(index).map(({ position }) => position))),
    maxPosition: last,
    saveSequence: (index) => new TextEncoder().encode(JSON.stringify(at(index))),
    restoreSequence: (index, state) => {
      put(index, JSON.parse(new TextDecoder().decode(state)))
      return true
    },
    memoryBreakdown: () => [],
    close: async () => undefined,
  }
}
