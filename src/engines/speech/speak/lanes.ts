/** Division of a synthesizer's CPU threads. */
import { statSync } from 'node:fs'
import type { FilesByRole } from './model-files.ts'

/** Smaller models do not gain by threads: several sentences at once do. */
const largeModelBytes = 32_000_000
const threadsOfLargeModels = 4

/** Bytes of one lane, measured with the starter model on a sentence of ten seconds. */
export const laneBytes = 192 * 1024 * 1024
/** Limit of lanes, since each takes `laneBytes`. */
const maximumLanes = 4

interface SpeakerLanes {
  /** Sentences that are synthesized side by side. */
  readonly lanes: number
  readonly threadsPerLane: number
}

/** On a GPU one sentence computes while the sounds of the next are looked up on the CPU. */
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
