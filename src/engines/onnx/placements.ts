/** How a text model can be held in memory, guessed from its files: on a GPU, or on the CPU. */
import { existsSync } from 'node:fs'
import { basename } from 'node:path'
import type { Placement } from '../../core/memory.ts'
import { defaultThreads, readCpuAllowance } from '../../machine/cpu-allowance.ts'
import type { EstimatePlacements } from '../engine.ts'
import { LoadError } from '../load-error.ts'
import { cudaProvider } from './session/cuda-provider.ts'
import { type ModelBytes, modelBytes } from './session/model-bytes.ts'
import { shareThreads } from './session/share-threads.ts'
import { type OnnxSettings, threadsPerText } from './settings.ts'

const mebibyte = 1024 * 1024

/** Runtime, libraries, tokenizer. */
const processBytes = 100 * mebibyte
/** Of a session: buffers of a batch, and what the JavaScript heap keeps of it. */
const batchBytes = 64 * mebibyte

/**
 * Measured on the CPU with generated encoders of 100 to 1,400 MB. Weights of matrices are copied into an order that computes
 * faster; half-precision ones become twice as large, and the load has both for a moment. Weights in files of their own are mapped.
 */
const graphFactor = 1.5
const halfPrecisionFactor = 2.7
const besideFactor = 1

/** ONNX Runtime's own pool of GPU memory grows by doubling and never shrinks, and the driver has its part. */
const gpuFactor = 1.5
const gpuBytes = 1024 * mebibyte
/** Of a process that computes on a GPU: the driver's and CUDA's libraries. */
const gpuProcessBytes = 1024 * mebibyte

/**
 * Attention compares every token of a text with every other, in each head. Longer texts than this are rare; what they take is
 * measured when they come, and reserved from then on.
 */
const longestTokens = 2048
const headSize = 64
const usualDimensions = 1024
const attentionFactor = 2.7

export const estimateOnnx: EstimatePlacements<OnnxSettings> = async ({ model, settings, runtime, budgetBytes }) => {
  const { manifest, filePaths } = model
  const path = filePaths.model
  if (path === undefined)
    throw new LoadError('bad-model', `the manifest of ${manifest.id} names no file with role "model"`)
  if (!existsSync(path)) throw new LoadError('bad-model', `${path} is not there: pull or import the model again`)
  const bytes = modelBytes(path)
  const threads = settings.threads > 0 ? settings.threads : defaultThreads(readCpuAllowance())
  const facts: ModelFacts = {
    ...bytes,
    isHalfPrecision: /fp16|float16/i.test(basename(path)),
    contextTokens: manifest.contextLength ?? longestTokens,
    dimensions: manifest.dimensions ?? usualDimensions,
    sessions: shareThreads(threads, bytes.graphBytes + bytes.besideBytes, threadsPerText).sessions,
  }
  const devices = Object.keys(budgetBytes).flatMap((pool) => /^gpu(\d+)$/.exec(pool)?.[1] ?? [])
  const { path: library, isThere } = cudaProvider(runtime.onnxRuntime)
  if (settings.device === 'cpu' || settings.device === 'vulkan') return [onCpu(facts)]
  if (isThere && devices.length > 0) return [...devices.map((index) => onGpu(Number(index), facts)), onCpu(facts)]
  // Not where nobody expects a GPU to be used.
  const isMissed = devices.length > 0 || settings.device === 'cuda'
  return [onCpu(facts, isMissed ? (isThere ? 'there is no NVIDIA device' : `${library} is not there`) : undefined)]
}

export interface ModelFacts extends ModelBytes {
  readonly isHalfPrecision: boolean
  /** Longest text. */
  readonly contextTokens: number
  readonly dimensions: number
  /** On the CPU: each has its own copy of the weights. */
  readonly sessions: number
}

/** `noGpuBecause`: for the log, where a GPU could be expected. */
export function onCpu(facts: ModelFacts, noGpuBecause?: string): Placement {
  const { graphBytes, besideBytes, isHalfPrecision, sessions } = facts
  const weightBytes = graphBytes * (isHalfPrecision ? halfPrecisionFactor : graphFactor) + besideBytes * besideFactor
  const host = processBytes + sessions * (weightBytes + computeBytes(facts))
  const load = { device: 'cpu', ...(noGpuBecause !== undefined && { noGpuBecause }) }
  return { key: 'cpu', label: 'CPU', needBytes: { host: Math.ceil(host) }, rank: 1, load }
}

export function onGpu(index: number, { graphBytes, besideBytes }: ModelFacts): Placement {
  const deviceBytes = Math.ceil((graphBytes + besideBytes) * gpuFactor) + gpuBytes
  return {
    key: `gpu${index}`,
    label: `gpu${index}`,
    needBytes: { [`gpu${index}`]: deviceBytes, host: gpuProcessBytes },
    rank: 0,
    load: { device: 'cuda', deviceIndex: index },
  }
}

function computeBytes({ contextTokens, dimensions }: ModelFacts): number {
  const tokens = Math.min(contextTokens, longestTokens)
  const heads = Math.ceil(dimensions / headSize)
  return batchBytes + heads * tokens ** 2 * Float32Array.BYTES_PER_ELEMENT * attentionFactor
}
