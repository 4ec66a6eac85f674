/** Placements of a text model, guessed from its files: on each GPU, or on the CPU. */
import { basename } from 'node:path'
import type { Placement } from '../../core/memory.ts'
import { defaultThreads, readCpuAllowance } from '../../machine/cpu-allowance.ts'
import type { EstimatePlacements } from '../protocol/engine.ts'
import { modelFile } from '../shared/model-file.ts'
import { type ModelBytes, modelBytes } from './session/model-bytes.ts'
import { placeSessions } from './session/place-sessions.ts'
import { shareThreads } from './session/share-threads.ts'
import { type OnnxSettings, threadsPerText } from './settings.ts'

const mebibyte = 1024 * 1024

/** Bytes of runtime, libraries and tokenizer. */
const processBytes = 100 * mebibyte
/** Bytes per session: buffers of a batch, on the JavaScript heap too. */
const batchBytes = 64 * mebibyte

/**
 * Memory per byte of weights, measured on the CPU with generated encoders of 100 to 1,400 MB. Matrices are copied into
 * a faster order; half-precision weights double in size, and the load briefly holds both. Weights in separate files
 * are mapped.
 */
const graphFactor = 1.5
const halfPrecisionFactor = 2.7
const besideFactor = 1

/**
 * Longest text in an estimate, in tokens. Attention compares every token with every other, in each head. Longer texts
 * are rare; their memory is measured when they come, and reserved from then on.
 */
const longestTokens = 2048
const headSize = 64
const usualDimensions = 1024
const attentionFactor = 2.7

export const estimateOnnx: EstimatePlacements<OnnxSettings> = async ({ model, settings, runtime, budgetBytes }) => {
  const { manifest } = model
  const path = modelFile(model, 'model')
  const bytes = modelBytes(path)
  const threads = settings.threads > 0 ? settings.threads : defaultThreads(readCpuAllowance())
  const facts: ModelFacts = {
    ...bytes,
    isHalfPrecision: /fp16|float16/i.test(basename(path)),
    contextTokens: manifest.contextLength ?? longestTokens,
    dimensions: manifest.dimensions ?? usualDimensions,
    sessions: shareThreads(threads, bytes.graphBytes + bytes.besideBytes, threadsPerText).sessions,
  }
  return placeSessions({ settings, runtime, budgetBytes }, bytes, 'matrices', (noGpuBecause) =>
    onCpu(facts, noGpuBecause),
  )
}

export interface ModelFacts extends ModelBytes {
  readonly isHalfPrecision: boolean
  /** Tokens of the longest text. */
  readonly contextTokens: number
  readonly dimensions: number
  /** Sessions on the CPU. Each has its own copy of the weights. */
  readonly sessions: number
}

/** Returns the CPU's placement. `noGpuBecause` is logged if a GPU could be expected. */
export function onCpu(facts: ModelFacts, noGpuBecause?: string): Placement {
  const { graphBytes, besideBytes, isHalfPrecision, sessions } = facts
  const weightBytes = graphBytes * (isHalfPrecision ? halfPrecisionFactor : graphFactor) + besideBytes * besideFactor
  const host = processBytes + sessions * (weightBytes + computeBytes(facts))
  const load = { device: 'cpu', ...(noGpuBecause !== undefined && { noGpuBecause }) }
  return { key: 'cpu', label: 'CPU', needBytes: { host: Math.ceil(host) }, rank: 1, load }
}

function computeBytes({ contextTokens, dimensions }: ModelFacts): number {
  const tokens = Math.min(contextTokens, longestTokens)
  const heads = Math.ceil(dimensions / headSize)
  return batchBytes + heads * tokens ** 2 * Float32Array.BYTES_PER_ELEMENT * attentionFactor
}
