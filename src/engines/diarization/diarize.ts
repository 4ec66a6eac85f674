/**
 * Speakers' turns, computed in parts by the loop of parts: batches of windows, those of several recordings side by
 * side; labels last.
 */
import { errorText } from '../../core/error-text.ts'
import { ApiError } from '../../core/errors.ts'
import { type AudioFile, audioSampleRateHz, type SpeakerHint, type SpeakerTurns } from '../../core/speech.ts'
import { nothingConsumed } from '../../core/usage.ts'
import type { Work } from '../../core/work.ts'
import type { Job, PartsEngine } from '../shared/parts-job.ts'
import type { StepClock } from '../shared/step-clock.ts'
import { findSpeakers } from './clusters/find-speakers.ts'
import { nameSpeakers } from './clusters/name-speakers.ts'
import { type Heard, type Hearing, hearWindows, type Voice, type WindowRange } from './hear-windows.ts'
import { frameSpeakers } from './turns/frame-speakers.ts'
import { speakerTurns } from './turns/speaker-turns.ts'
import { type WindowGrid, windowGrid } from './windows/window-grid.ts'

interface DiarizationOptions {
  readonly hearing: Hearing
  /** Distance of voices above which clusters are different speakers. */
  readonly threshold: number
  /** Limit on runs of the models that are computed side by side, each by one thread. */
  readonly turnstile: { limit: number }
  /** Most windows computed in one run. */
  readonly rowsTogether?: number
  /** Writes a line for the operator. */
  readonly log: (line: string) => void
  readonly clock: StepClock
}

interface WindowBatch extends WindowRange {
  readonly audio: AudioFile
  readonly grid: WindowGrid
}

/** Least windows per batch. The energies of a batch are computed once; a started batch is computed to its end. */
const batchWindowsMinimum = 16

/** Batches in progress: one computes while the next is read and turned into energies. */
const batchesLimit = 2

export function diarization({
  hearing,
  threshold,
  turnstile,
  rowsTogether = 1,
  log,
  clock,
}: DiarizationOptions): PartsEngine<Work<'diarize'>, WindowBatch, Heard, SpeakerTurns> {
  const batchWindows = Math.max(batchWindowsMinimum, rowsTogether)

  const open = ({ request }: Work<'diarize'>): Job<WindowBatch, Heard, SpeakerTurns> => {
    const { audio } = request
    const grid = windowGrid(hearing.segmentation.shape, audio.sampleCount)
    const masks = new Uint8Array(grid.windowCount * grid.windowFrames)
    const voices: Voice[] = []
    const parts = Array.from({ length: Math.ceil(grid.windowCount / batchWindows) }, (_, batch) => {
      const first = batch * batchWindows
      return { audio, grid, first, count: Math.min(batchWindows, grid.windowCount - first) }
    })
    return {
      partsOf: () => ({ parts, isLast: true }),
      accept: (heard, { first }) => {
        masks.set(heard.masks, first * grid.windowFrames)
        voices.push(...heard.voices)
      },
      finish: async () => [await clock.timeAsync('accept', labelTurns({ masks, voices }, grid, request, threshold))],
      consumed: () => nothingConsumed,
    }
  }

  return {
    open,
    compute: (batches) =>
      Promise.allSettled(
        batches.map((batch) => clock.timeAsync('device', hearWindows(hearing, batch.audio, batch.grid, batch))),
      ),
    costOf: ({ count }) => count,
    // Several batches of short recordings start together, to fill a run.
    batching: (turns, { runs, runningCost }) => {
      if (runs < batchesLimit || runningCost < rowsTogether) turns().next().value?.take()
    },
    startsWith: 'grant',
    useLanes: (lanes) => {
      turnstile.limit = lanes
    },
    toError: (thrown) => {
      log(`request failed: ${errorText(thrown)}`)
      const message = 'The speakers of this recording could not be told apart. Nothing was charged.'
      return new ApiError('engine', message, { code: 'engine_failed' })
    },
  }
}

/**
 * Least time that a speaker speaks alone. Less suffices in short recordings, or if there are fewer speakers than
 * hinted.
 */
const leastSpeakerSeconds = 4
/** Pauses below `pauseSeconds` are breaths, which models take for pauses. No word is shorter than `shortestSeconds`. */
const turnRules = { pauseSeconds: 0.3, shortestSeconds: 0.1 }

/** Returns the speakers' turns from the masks and voices of a whole recording. */
export async function labelTurns(
  { masks, voices }: Heard,
  grid: WindowGrid,
  hint: SpeakerHint,
  threshold: number,
): Promise<SpeakerTurns> {
  const framesASecond = audioSampleRateHz / grid.frameShiftSamples
  const windowsAFrame = grid.windowFrames / grid.stepFrames
  const leastFrames = leastSpeakerSeconds * framesASecond * windowsAFrame
  const means = await findSpeakers(voices, hint, { threshold, leastFrames })
  const named = nameSpeakers(voices, grid.windowCount, means)
  const frames = frameSpeakers({ ...named, grid, masks }, means.length)
  return { type: 'turns', turns: speakerTurns(frames, grid, turnRules) }
}
