/**
 * The diarization engine: one model segments windows of a recording, another embeds voices. Together they say who
 * speaks when.
 */

import { errorText } from '../../core/error-text.ts'
import { readModelMetadata } from '../onnx/session/model-metadata.ts'
import { openSessions, placed } from '../onnx/session/open-sessions.ts'
import type { LoadEngine } from '../protocol/engine.ts'
import { modelFile } from '../shared/model-file.ts'
import { PartsLoop } from '../shared/parts-loop.ts'
import { StepClock } from '../shared/step-clock.ts'
import type { Reading, ThreadResult } from './diarization-thread.ts'
import { diarization } from './diarize.ts'
import { SessionPool } from './session-pool.ts'
import { type DiarizationSettings, rowsTogetherLimit, threadsPerWindow } from './settings.ts'
import { Turnstile } from './turnstile.ts'
import { openEmbedding } from './voices/open-embedding.ts'
import { openSegmentation } from './windows/open-segmentation.ts'

/** Threshold of pyannote.audio 3.1 for WeSpeaker's voices. */
const usualThreshold = 0.7046

export const loadDiarizationEngine: LoadEngine<'diarize', DiarizationSettings> = async (setup) => {
  const { model, settings, runtime, isCautious, emit, onPhase = () => undefined } = setup
  const where = placed(setup, log)
  const optimization = isCautious ? 'extended' : 'all'
  const open = async (role: string) => {
    const modelPath = modelFile(model, role)
    const opened = await openSessions<Reading, ThreadResult>({
      program: 'engines/diarization/diarization-thread.ts',
      binding: runtime.onnxRuntime,
      modelPath,
      optimization,
      ...where,
      threadsTogether: threadsPerWindow,
      log,
      onDeath: endWith,
    })
    return { ...opened, metadata: readModelMetadata(modelPath) }
  }
  const windows = await naming('segmentation', () => open('segmentation'))
  const voices = await naming('speaker-embedding', () => open('speaker-embedding'))
  const turnstile = new Turnstile(windows.sessions.length)
  const isOnGpu = windows.device === 'cuda'
  const rowsTogether = isOnGpu ? Number(setup.placement?.rowsTogether ?? rowsTogetherLimit) : 1
  const segmentation = await naming('segmentation', () =>
    openSegmentation(new SessionPool(windows.sessions, turnstile, rowsTogether), windows.metadata),
  )
  const embedding = await naming('speaker-embedding', () =>
    openEmbedding(new SessionPool(voices.sessions, turnstile, rowsTogether), voices.metadata, { isStepped: isOnGpu }),
  )
  onPhase('weights')
  const threshold = model.manifest.diarizer?.threshold ?? usualThreshold
  const clock = new StepClock()
  const engine = diarization({ hearing: { segmentation, embedding }, threshold, turnstile, rowsTogether, log, clock })
  const loop = new PartsLoop(engine, { lanes: turnstile.limit, threadsPerLane: 1, emit, clock })
  const { device, provider, place, remark } = windows
  const together = rowsTogether > 1 ? `, ${rowsTogether} windows together` : ''
  return loop.serve({
    device,
    provider,
    remark,
    threads: device === 'cpu' ? turnstile.limit : undefined,
    description: `diarization on ${place}${together}, ${optimization} optimizations`,
    contextTokens: 0,
    parallel: settings.parallel,
  })
}

/** Runs a task of one of the two models. Its errors name that model. */
async function naming<Result>(role: string, task: () => Promise<Result>): Promise<Result> {
  try {
    return await task()
  } catch (error) {
    throw new Error(`its ${role} model: ${errorText(error)}`, { cause: error })
  }
}

/** Ends this process. The server starts another one. */
function endWith(reason: string): void {
  log(reason)
  process.exit(1)
}

/** Writes a line to stderr, which is the log. */
function log(line: string): void {
  process.stderr.write(`${line}\n`)
}
