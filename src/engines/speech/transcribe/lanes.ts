/** Division of a transcriber's CPU threads. */
import { statSync } from 'node:fs'
import { LoadError } from '../../protocol/load-error.ts'

interface LaneShares {
  /** Runs of one chunk, or on a GPU of several, that are computed side by side. */
  readonly lanes: number
  readonly threadsPerLane: number
}

/** Memory to compute one chunk, as a part of the weights' bytes. */
const laneFactor = 0.5
/** Bytes of all lanes together. */
const lanesBytesLimit = 2 ** 31

/** On a GPU one run computes while the features of the next are made on the CPU. */
export const gpuLanes: LaneShares = { lanes: 2, threadsPerLane: 1 }

/** Chunks of one run on a GPU, at most: five minutes of speech, which take some 0.2 s of the CPU to make features of. */
const chunksTogetherLimit = 16
/** Memory of a GPU for each chunk of a run: twice the first convolution of a large model (57 MB for 28 s), and the rest of it. */
export const chunkBytesOnGpu = 192 * 1024 * 1024
/** Part of the GPU's memory for the chunks of all runs that compute side by side. */
const chunksShare = 1 / 8

/** Returns how many chunks one run may take on a GPU with that much memory for models. */
export function chunksOnGpu(budgetBytes: number): number {
  const affordable = Math.floor((budgetBytes * chunksShare) / (gpuLanes.lanes * chunkBytesOnGpu))
  return Math.max(1, Math.min(chunksTogetherLimit, affordable))
}

/** Memory of each further thread that finds speech: its JavaScript and its model. Measured: 13 MB. */
export const finderBytes = 16 * 1024 * 1024
const finderThreadsLimit = 8

/** Returns how many threads find speech. One is as fast as two that recognise by the smallest models. */
export function finderThreads(threads: number): number {
  return Math.max(1, Math.min(finderThreadsLimit, Math.floor(threads / 2)))
}

/** Chunks side by side do not wait for each other, threads of one chunk do; but each chunk needs more memory. */
export function shareLanes(threads: number, bytes: number): LaneShares {
  const affordable = Math.max(1, Math.floor(lanesBytesLimit / laneBytes(bytes)))
  const lanes = Math.min(threads, affordable)
  return { lanes, threadsPerLane: Math.floor(threads / lanes) }
}

/** Returns the memory of a chunk's recognition; `bytes` are the model's. */
export function laneBytes(bytes: number): number {
  return bytes * laneFactor
}

/** Returns the bytes of the files that recognise. Throws a `LoadError` if one is missing. */
export function modelBytes(filePaths: Readonly<Record<string, string>>): number {
  return Object.values(recognizerFiles(filePaths)).reduce((sum, path) => sum + fileBytes(path), 0)
}

/** Returns a transcriber's files that recognise, by role: neither those that find speech nor those that tell speakers. */
export function recognizerFiles(filePaths: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const { vad: _, segmentation: __, 'speaker-embedding': ___, ...recognizer } = filePaths
  return recognizer
}

function fileBytes(path: string): number {
  const stat = statSync(path, { throwIfNoEntry: false })
  if (stat === undefined) throw new LoadError('bad-model', `${path} is not there: pull or import the model again`)
  return stat.size
}
