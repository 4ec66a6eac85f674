/** Division of a transcriber's CPU threads. */
import { statSync } from 'node:fs'
import { LoadError } from '../../protocol/load-error.ts'

interface LaneShares {
  /** Most parallel runs, of one chunk each, or on a GPU of several. */
  readonly lanes: number
  readonly threadsPerLane: number
}

/** Memory to compute one chunk, as a share of the weights' bytes. */
const laneFactor = 0.5
/** Most bytes of all lanes together. */
const lanesBytesLimit = 2 ** 31

/** Lanes on a GPU: while one run computes there, the CPU computes the features of the next. */
export const gpuLanes: LaneShares = { lanes: 2, threadsPerLane: 1 }

/** Most chunks of one run on a GPU: five minutes of speech, whose features take some 0.2 s of CPU. */
const chunksTogetherLimit = 16
/** GPU memory for each chunk of a run: twice the first convolution of a large model (57 MB for 28 s), plus the rest. */
export const chunkBytesOnGpu = 192 * 1024 * 1024
/** Share of the GPU's memory for the chunks of all parallel runs. */
const chunksShare = 1 / 8

/** Returns the number of chunks per run on a GPU that has this much memory for models. */
export function chunksOnGpu(budgetBytes: number): number {
  const affordable = Math.floor((budgetBytes * chunksShare) / (gpuLanes.lanes * chunkBytesOnGpu))
  return Math.max(1, Math.min(chunksTogetherLimit, affordable))
}

/** Memory of each further thread that finds speech: JavaScript and model. Measured: 13 MB. */
export const finderBytes = 16 * 1024 * 1024
const finderThreadsLimit = 8

/** Returns the number of threads that find speech. One keeps up with two threads that run the smallest recognisers. */
export function finderThreads(threads: number): number {
  return Math.max(1, Math.min(finderThreadsLimit, Math.floor(threads / 2)))
}

/**
 * Distributes threads over chunks. Parallel chunks do not wait for each other, as threads of one chunk do; but each
 * needs more memory.
 */
export function shareLanes(threads: number, bytes: number): LaneShares {
  const affordable = Math.max(1, Math.floor(lanesBytesLimit / laneBytes(bytes)))
  const lanes = Math.min(threads, affordable)
  return { lanes, threadsPerLane: Math.floor(threads / lanes) }
}

/** Returns the memory to recognise one chunk. `bytes`: size of the model. */
export function laneBytes(bytes: number): number {
  return bytes * laneFactor
}

/** Returns the size of the recogniser's files. Throws a `LoadError` if one is missing. */
export function modelBytes(filePaths: Readonly<Record<string, string>>): number {
  return Object.values(recognizerFiles(filePaths)).reduce((sum, path) => sum + fileBytes(path), 0)
}

/** Returns the recogniser's files by role, without those that find speech or label speakers. */
export function recognizerFiles(filePaths: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const { vad: _, segmentation: __, 'speaker-embedding': ___, ...recognizer } = filePaths
  return recognizer
}

function fileBytes(path: string): number {
  const stat = statSync(path, { throwIfNoEntry: false })
  if (stat === undefined) throw new LoadError('bad-model', `${path} is not there: pull or import the model again`)
  return stat.size
}
