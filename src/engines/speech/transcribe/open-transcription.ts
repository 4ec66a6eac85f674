import type { TranscribeRequest, TranscriptSegment } from '../../../core/speech.ts'
import { SpokenLanguages } from './languages.ts'
import type { Chunk } from './speech-cutter.ts'
import type { CutRecording } from './speech-finder.ts'

/** A request that has not ended. */
export interface OpenTranscription {
  readonly id: number
  readonly accountId: string
  readonly request: TranscribeRequest
  state: 'prepared' | 'granted' | 'ended'
  recording: CutRecording | undefined
  /** How to take chunks that were not begun out of the queue. */
  readonly waiting: Map<Chunk, () => void>
  isReading: boolean
  /** All chunks are found. */
  isCut: boolean
  /** Chunks found. */
  found: number
  running: number
  /** Chunks whose segments were told, and of later ones what there is to tell. */
  told: number
  readonly untold: Map<number, readonly TranscriptSegment[]>
  readonly spoken: SpokenLanguages
  /** Samples up to the end of the last chunk that was begun. */
  heard: number
}

/** `known`: the model's languages. */
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

/** Segments of the next chunks, as far as all before them are recognised. They are told now. */
export function nextSegments(open: OpenTranscription): TranscriptSegment[] {
  const segments: TranscriptSegment[] = []
  for (let next = open.untold.get(open.told); next !== undefined; next = open.untold.get(open.told)) {
    segments.push(...next)
    open.untold.delete(open.told++)
  }
  return segments
}
