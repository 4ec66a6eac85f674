/** Placements of the models that label speakers, guessed from their files: on each GPU, or on the CPU. */
import type { MemoryBytes, Placement } from '../../core/memory.ts'
import { defaultThreads, readCpuAllowance } from '../../machine/cpu-allowance.ts'
import { type ModelBytes, modelBytes } from '../onnx/session/model-bytes.ts'
import { placeSessions } from '../onnx/session/place-sessions.ts'
import { shareThreads } from '../onnx/session/share-threads.ts'
import type { EstimatePlacements } from '../protocol/engine.ts'
import { modelFile } from '../shared/model-file.ts'
import { type DiarizationSettings, rowsTogetherLimit, threadsPerWindow } from './settings.ts'

const mebibyte = 1024 * 1024

/** Runtime, libraries, samples and energies of two batches, masks and voices of 12 hours, distances of 1,500 voices. */
const processBytes = 240 * mebibyte
/** Bytes per thread that computes: its JavaScript, its copy of the weights, the buffers of a window. */
const threadBytes = 48 * mebibyte
const weightsFactor = 2
/**
 * GPU memory for each further window or voice computed in the same run, and the share of the GPU's memory for all of
 * them.
 */
const rowBytes = 32 * mebibyte
const rowsShare = 1 / 16

export const estimateDiarization: EstimatePlacements<DiarizationSettings> = async (request) => {
  const { model, settings } = request
  const parts = ['segmentation', 'speaker-embedding'].map((role) => modelBytes(modelFile(model, role)))
  const threads = settings.threads > 0 ? settings.threads : defaultThreads(readCpuAllowance())
  const host = parts.reduce((sum, part) => sum + neededBytes(part, threads), processBytes)
  const all: ModelBytes = {
    graphBytes: parts.reduce((sum, { graphBytes }) => sum + graphBytes, 0),
    besideBytes: parts.reduce((sum, { besideBytes }) => sum + besideBytes, 0),
  }
  const placements = placeSessions(request, all, 'convolutions', (noGpuBecause): Placement => {
    const load = { device: 'cpu', ...(noGpuBecause !== undefined && { noGpuBecause }) }
    return { key: 'cpu', label: 'CPU', needBytes: { host: Math.ceil(host) }, rank: 1, load }
  })
  return placements.map((placement) => withRows(placement, request.budgetBytes))
}

/** Returns the placement with as many rows together as fit on the GPU; a CPU placement unchanged. */
function withRows(placement: Placement, budgetBytes: MemoryBytes): Placement {
  const { key, needBytes, load } = placement
  if (load.device !== 'cuda') return placement
  const affordable = Math.floor(((budgetBytes[key] ?? 0) * rowsShare) / rowBytes)
  const rowsTogether = Math.max(1, Math.min(rowsTogetherLimit, affordable))
  const deviceBytes = (needBytes[key] ?? 0) + rowsTogether * rowBytes
  return { ...placement, needBytes: { ...needBytes, [key]: deviceBytes }, load: { ...load, rowsTogether } }
}

function neededBytes({ graphBytes, besideBytes }: ModelBytes, threads: number): number {
  const { sessions } = shareThreads(threads, graphBytes + besideBytes, threadsPerWindow)
  return sessions * (threadBytes + (graphBytes + besideBytes) * weightsFactor)
}
