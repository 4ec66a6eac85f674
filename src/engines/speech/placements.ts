/** Memory of a speech model, guessed from its files before it is loaded. */
import { coresOf, readCpuAllowance } from '../../machine/cpu-allowance.ts'
import type { EstimatePlacements } from '../engine.ts'
import { placementByFileSize } from '../placement-by-file-size.ts'
import type { SpeechSettings } from './settings.ts'
import { laneBytes as speakerLaneBytes, speakerLanes } from './speak/lanes.ts'
import { filesByRole } from './speak/model-files.ts'
import { laneBytes, modelBytes, shareLanes } from './transcribe/lanes.ts'

const mebibyte = 1024 * 1024

/** Runtime, libraries, voice activity model. */
const processBytes = 96 * mebibyte
/** Of a recording while it is transcribed: its voice activity model with the speech that this keeps. */
const recordingBytes = 6 * mebibyte
/** Measured with generated graphs of 46 MB (8-bit weights: 1.2) and 185 MB (32-bit: 1.6): weights in an order that computes faster. */
const weightsFactor = 1.6
/** Of a synthesizer, before it speaks. */
const speakerPlacements = placementByFileSize(2)

export const estimateSpeech: EstimatePlacements<SpeechSettings> = async (request) => {
  const { model, settings } = request
  const threads = settings.threads > 0 ? settings.threads : coresOf(readCpuAllowance())
  if (model.manifest.type === 'tts') {
    const placements = await speakerPlacements(request)
    const lanesBytes = speakerLanes(threads, filesByRole(model)).lanes * speakerLaneBytes
    return placements.map(({ needBytes: { host = 0 }, ...rest }) => ({
      ...rest,
      needBytes: { host: host + lanesBytes },
    }))
  }
  const bytes = modelBytes(model.filePaths)
  const { lanes } = shareLanes(threads, bytes)
  // As many as the process is given at once.
  const recordings = 2 * settings.parallel + 1
  const host = processBytes + recordings * recordingBytes + bytes * weightsFactor + lanes * laneBytes(bytes)
  return [{ key: 'cpu', label: 'CPU', needBytes: { host: Math.ceil(host) }, load: {} }]
}
