import type { TranscribeRequest, TranscriptSegment } from '../../../core/speech.ts'
import { SpokenLanguages } from './languages.ts'
import type { Chunk } from './speech-cutter.ts'
import type { CutRecording } from './speech-finder.ts'

/** Request that has not ended. */
export interface OpenTranscription {
  readonly id: number
  readonly accountId: string
  readonly request: TranscribeRequest
  state: 'prepared' | 'granted' | 'ended'
  recording: CutRecording | undefined
  /** Functions that remove chunks that were not begun from the queue. */
  readonly waiting: Map<Chunk, () => void>
  isReading: boolean
  /** True once all chunks are found. */
  isCut: boolean
  /** Number of chunks found. */
  found: number
  running: number
  /** Number of chunks whose segments were sent, and the results of later ones. */
  told: number
  readonly untold: Map<number, readonly TranscriptSegment[]>
  readonly spoken: SpokenLanguages
  /** Samples up to the end of the last begun chunk. */
  heard: number
}

/** `known` lists the model's languages. */
export function newTranscription(
  id: number,
  accountId: string,
  request: TranscribeRequest,
  known: readonly string[] | undefined,
): OpenTranscription {
  return {
    id,
    accountId,
    request,
    state: 'prepared',
    recording: undefined,
    waiting: new Map(),
    isReading: false,
    isCut: false,
    found: 0,
    running: 0,
    told: 0,
    untold: new Map(),
    spoken: new SpokenLanguages(request.language, known),
    heard: 0,
  }
}

/** Returns the segments of the next chunks, up to the first unrecognised one. They count as sent. */
export function nextSegments(open: OpenTranscription): TranscriptSegment[] {
  const segments: TranscriptSegment[] = []
  for (let next = open.untold.get(open.told); next !== undefined; next = open.untold.get(open.told)) {
    segments.push(...next)
    open.untold.delete(open.told++)
  }
  return segments
}
