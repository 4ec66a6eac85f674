/** Placements of a speech model, guessed from its files: on the first GPU, or on the CPU. */
import { basename } from 'node:path'
import type { MemoryBytes, Placement } from '../../core/memory.ts'
import { coresOf, readCpuAllowance } from '../../machine/cpu-allowance.ts'
import { placeSessions } from '../onnx/session/place-sessions.ts'
import type { EstimatePlacements, PlacementRequest } from '../protocol/engine.ts'
import { placementByFileSize } from '../shared/placement-by-file-size.ts'
import { bytesOfGraphs, isEightBits, pathOnGpu } from './graph-precision.ts'
import type { SpeechSettings } from './settings.ts'
import { laneBytes as speakerLaneBytes, speakerLanes } from './speak/lanes.ts'
import { filesByRole, filesForGpu } from './speak/model-files.ts'
import {
  chunkBytesOnGpu,
  chunksOnGpu,
  finderBytes,
  finderThreads,
  gpuLanes,
  laneBytes,
  modelBytes,
  recognizerFiles,
  shareLanes,
} from './transcribe/lanes.ts'
import { recognizerKinds } from './transcribe/recognizer-kinds.ts'

const mebibyte = 1024 * 1024

/** Bytes of runtime, libraries and voice activity model. */
const processBytes = 96 * mebibyte
/** Bytes per recording in work: its voice activity model and the speech that this buffers. */
const recordingBytes = 6 * mebibyte
/**
 * Memory per byte of weights, which are copied into a faster order. Measured with generated graphs of 46 MB (8-bit
 * weights: 1.2) and 185 MB (32-bit: 1.6).
 */
const weightsFactor = 1.6
/** Estimates the memory of a synthesizer before it speaks. */
const speakerPlacements = placementByFileSize(2)

export const estimateSpeech: EstimatePlacements<SpeechSettings> = async (request) => {
  const { model, settings } = request
  const threads = settings.threads > 0 ? settings.threads : coresOf(readCpuAllowance())
  if (model.manifest.type === 'tts') {
    const files = filesByRole(model)
    const lanesBytes = speakerLanes(threads, files).lanes * speakerLaneBytes
    const [placement] = await speakerPlacements(request)
    return place(request, Object.values(filesForGpu(model)).flat(), (placement?.needBytes.host ?? 0) + lanesBytes)
  }
  const bytes = modelBytes(model.filePaths)
  const { lanes } = shareLanes(threads, bytes)
  // Most recordings that the server gives the process at the same time.
  const recordings = 2 * settings.parallel + 1
  const besideBytes = recordings * recordingBytes + (finderThreads(threads) - 1) * finderBytes
  const host = processBytes + besideBytes + bytes * weightsFactor + lanes * laneBytes(bytes)
  const onGpu = Object.entries(recognizerFiles(model.filePaths)).map(([role, path]) => pathOnGpu(model, role, path))
  const placements = place(request, onGpu, host)
  const { kind } = model.manifest.transcriber ?? {}
  const sharesRuns = kind !== undefined && recognizerKinds[kind].sharesRuns
  return sharesRuns ? placements.map((placement) => withChunks(placement, request.budgetBytes)) : placements
}

/** Returns a GPU placement with the number of chunks per run that the GPU has room for; other placements unchanged. */
function withChunks(placement: Placement, budgetBytes: MemoryBytes): Placement {
  const { key, needBytes, load } = placement
  if (load.device !== 'cuda') return placement
  const chunksTogether = chunksOnGpu(budgetBytes[key] ?? 0)
  const deviceBytes = (needBytes[key] ?? 0) + gpuLanes.lanes * chunksTogether * chunkBytesOnGpu
  return { ...placement, needBytes: { ...needBytes, [key]: deviceBytes }, load: { ...load, chunksTogether } }
}

/**
 * Returns the placements on the first GPU, the only one that sherpa-onnx uses, and on the CPU. `gpuPaths`: files that
 * a load on a GPU opens.
 */
function place(request: PlacementRequest<SpeechSettings>, gpuPaths: readonly string[], hostBytes: number): Placement[] {
  const onCpu = (noGpuBecause?: string): Placement => {
    const load = { device: 'cpu', ...(noGpuBecause !== undefined && { noGpuBecause }) }
    return { key: 'cpu', label: 'CPU', needBytes: { host: Math.ceil(hostBytes) }, rank: 1, load }
  }
  const graphs = gpuPaths.filter((path) => path.endsWith('.onnx'))
  const pools = Object.entries(request.budgetBytes).filter(([pool]) => pool === 'host' || pool === 'gpu0')
  const placements = placeSessions(
    { ...request, budgetBytes: Object.fromEntries(pools) },
    bytesOfGraphs(graphs),
    'convolutions',
    onCpu,
  )
  const eightBits = graphs.find(isEightBits)
  if (eightBits === undefined || request.settings.device === 'cuda' || placements.length === 1) return [...placements]
  const { id, gpuFiles } = request.model.manifest
  const nextStep = gpuFiles === undefined ? '' : `; 'inferd pull --gpu-files ${id}' fetches files for a GPU`
  return [
    onCpu(`${basename(eightBits)} is of 8 bits, which the CUDA provider leaves to the CPU node by node${nextStep}`),
  ]
}
