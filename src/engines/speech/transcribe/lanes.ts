/** How a transcriber's CPU threads are used. */
import { statSync } from 'node:fs'
import { LoadError } from '../../load-error.ts'

export interface LaneShares {
  /** Chunks that are recognised side by side. */
  readonly lanes: number
  readonly threadsPerLane: number
}

/** What is computed of one chunk takes about half as much memory as the weights. */
const laneFactor = 0.5
/** Of all lanes together. */
const lanesBytesLimit = 2 ** 31

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

/** Of the files that recognise. Throws a `LoadError` where one is missing. */
export function modelBytes(filePaths: Readonly<Record<string, string>>): number {
  const { vad: _, segmentation: __, 'speaker-embedding': ___, ...recognizer } = filePaths
  return Object.values(recognizer).reduce((sum, path) => sum + fileBytes(path), 0)
}

function fileBytes(path: string): number {
  const stat = statSync(path, { throwIfNoEntry: false })
  if (stat === undefined) throw new LoadError('bad-model', `${path} is not there: pull or import the model again`)
  return stat.size
}
