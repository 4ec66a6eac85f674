/** Division of a synthesizer's CPU threads. */
import { statSync } from 'node:fs'
import type { FilesByRole } from './model-files.ts'

/** Size of graphs from which further threads speed up a sentence. Smaller models gain only by parallel sentences. */
const largeModelBytes = 32_000_000
const threadsOfLargeModels = 4

/** Bytes of one lane, measured with the starter model on a sentence of ten seconds. */
export const laneBytes = 192 * 1024 * 1024
/** Most lanes, since each takes `laneBytes`. */
const maximumLanes = 4

interface SpeakerLanes {
  /** Sentences synthesized in parallel. */
  readonly lanes: number
  readonly threadsPerLane: number
}

/** Lanes on a GPU: while one sentence computes there, the CPU looks up the sounds of the next. */
export const gpuLanes: SpeakerLanes = { lanes: 2, threadsPerLane: 1 }

export function speakerLanes(threads: number, files: FilesByRole): SpeakerLanes {
  const threadsPerLane = graphBytes(files) < largeModelBytes ? 1 : Math.min(threads, threadsOfLargeModels)
  return { lanes: Math.min(maximumLanes, Math.max(1, Math.floor(threads / threadsPerLane))), threadsPerLane }
}

function graphBytes(files: FilesByRole): number {
  const graphs = Object.values(files)
    .flat()
    .filter((path) => path.endsWith('.onnx'))
  return graphs.reduce((sum, path) => sum + statSync(path).size, 0)
}
