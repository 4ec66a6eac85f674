/** Transcription with labelled speakers: two models work on one recording, for one answer and one bill. */
import { ApiError } from '../core/errors.ts'
import type { InstalledModel } from '../core/model.ts'
import type { SpeakerHint, SpeakerTurns, TranscribeRequest } from '../core/speech.ts'
import type { FinishEvent } from '../core/usage.ts'
import type { WorkEvent } from '../core/work.ts'
import { type EngineMeter, type RequestContext, unlimited, type WorkEngines } from '../engines/protocol/work-engines.ts'
import { diarizerOf } from './diarizer.ts'

/**
 * Yields the events of a transcription, with the speakers' turns before the last. Speakers are labelled in parallel,
 * beginning with the grant. Neither work waits for the other while it holds an engine, so they run one after the
 * other if memory suffices for only one model. If either fails, the other ends too, and neither outlives the events.
 */
export async function* labelSpeakers(
  engines: WorkEngines,
  model: InstalledModel,
  { speakers, ...request }: TranscribeRequest,
  context: RequestContext,
): AsyncGenerator<WorkEvent<'transcribe'>> {
  const diarizer = diarizerOf(model)
  const failure = new AbortController()
  const signal = AbortSignal.any([context.signal, failure.signal])
  const transcribed = Promise.withResolvers<void>()
  let turns: Promise<SpeakerTurns> | undefined
  const meter: EngineMeter = {
    begin: async (estimate) => {
      const grant = await context.meter.begin(estimate)
      const diarize = () => findTurns(engines, diarizer, { ...speakers, audio: request.audio }, { ...context, signal })
      // A restarted transcription asks for a grant again: the speakers are labelled once.
      if (turns !== undefined) return grant
      turns = nowOrAfter(transcribed.promise, diarize)
      turns.catch((error: unknown) => {
        if (!context.signal.aborted) failure.abort(error)
      })
      return grant
    },
    extend: () => context.meter.extend(),
    cancelled: (used, isEstimated) => {
      if (!failure.signal.aborted) context.meter.cancelled(used, isEstimated) // a failure costs nothing
    },
  }
  /** Last event of a complete transcription that still waits for its turns */
  let heard: FinishEvent | undefined
  try {
    for await (const event of engines.run(model, { kind: 'transcribe', request }, { ...context, signal, meter })) {
      if (event.type !== 'finish') {
        yield event
        continue
      }
      heard = event
      transcribed.resolve()
      if (turns === undefined) throw new Error('the engine finished what was not granted: this is a bug')
      yield await turns
      heard = undefined
      yield event
    }
  } finally {
    if (heard !== undefined && !failure.signal.aborted) {
      context.meter.cancelled(heard.usage, heard.isEstimated === true)
    }
    failure.abort(new Error('the transcription has ended'))
    transcribed.resolve()
    await turns?.catch(() => undefined)
  }
}

/** Codes of refusals that may be caused by the transcription's own model while it runs */
const mayHelpToWait: readonly string[] = ['model_loading', 'overloaded']

/** Runs the diarizer now or, if it is refused now, once more after the transcription. */
async function nowOrAfter(transcribed: Promise<void>, diarize: () => Promise<SpeakerTurns>): Promise<SpeakerTurns> {
  try {
    return await diarize()
  } catch (error) {
    if (!(error instanceof ApiError && mayHelpToWait.includes(error.code))) throw error
    await transcribed
    return await diarize()
  }
}

async function findTurns(
  engines: WorkEngines,
  diarizer: InstalledModel,
  request: SpeakerHint & Pick<TranscribeRequest, 'audio'>,
  context: RequestContext,
): Promise<SpeakerTurns> {
  let found: SpeakerTurns | undefined
  // The diarizer may restart: its client already waits for the running transcription.
  const onAgain = () => {
    found = undefined
  }
  const free = { ...context, waitLimitMs: undefined, meter: unlimited, onAgain }
  const events = engines.run(diarizer, { kind: 'diarize', request }, free)
  for await (const event of events) if (event.type === 'turns') found = event
  if (found === undefined) throw new Error('the engine found no turns: this is a bug')
  return found
}
