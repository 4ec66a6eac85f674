/** Division of a transcriber's CPU threads. */
import { statSync } from 'node:fs'
import { LoadError } from '../../load-error.ts'

export interface LaneShares {
  /** Chunks that are recognised side by side. */
  readonly lanes: number
  readonly threadsPerLane: number
}

/** Memory to compute one chunk, as a part of the weights' bytes. */
const laneFactor = 0.5
/** Bytes of all lanes together. */
const lanesBytesLimit = 2 ** 31

/** On a GPU one chunk computes while the features of the next are made on the CPU. */
export const gpuLanes: LaneShares = { lanes: 2, threadsPerLane: 1 }

/** Chunks side by side do not wait for each other, threads of one chunk do; but each chunk needs memory of its own. */
export function shareLanes(threads: number, bytes: number): LaneShares {
  const affordable = Math.max(1, Math.floor(lanesBytesLimit / laneBytes(bytes)))
  const lanes = Math.min(threads, affordable)
  return { lanes, threadsPerLane: Math.floor(threads / lanes) }
}

/** Memory that a chunk takes while it is recognised; `bytes` are the model's. */
export function laneBytes(bytes: number): number {
  return bytes * laneFactor
}

/** Returns the bytes of the files that recognise. Throws a `LoadError` where one is missing. */
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
