/** Transcribes recordings at upstream servers. */
import { ApiError } from '../../../core/errors.ts'
import type { ModelManifest } from '../../../core/model.ts'
import { audioMsOf, type TranscribeRequest } from '../../../core/speech.ts'
import { nothingConsumed } from '../../../core/usage.ts'
import { flavors } from '../flavors.ts'
import { UpstreamFailure } from '../http/failure.ts'
import { requestJson } from '../http/request-json.ts'
import type { PrepareWork, UpstreamEndpoint, WorkContext } from '../work/upstream-work.ts'
import { readTranscript } from './read-transcript.ts'
import { transcriptAbilities } from './speech-abilities.ts'
import { type TranscriptForm, transcriptionForm } from './transcription-form.ts'

/** Size limits of an answer. Word times take the most space. */
const answerBytes = 1024 * 1024
const answerBytesPerSecond = 8 * 1024

/** Models whose servers refused `verbose_json` and accepted `json`. */
const withoutSegments = new WeakSet<ModelManifest>()

export const prepareTranscribe: PrepareWork<'transcribe'> = (request, context) => {
  requireAble(request, context)
  const audioMs = audioMsOf(request.audio)
  const all = { ...nothingConsumed, audioMs }
  return {
    estimate: { least: all, most: all },
    prefix: '',
    run: (link) =>
      link.call(async (endpoint) => {
        // The server may compute everything at once, and reports no progress before its answer.
        link.used(all, true)
        const answer = await ask(request, context, endpoint)
        const { segments, language, turns } = readTranscript(answer, request)
        link.used(all)
        endpoint.emit([
          ...segments,
          ...(turns === undefined ? [] : [{ type: 'turns', turns } as const]),
          ...(language === undefined ? [] : [{ type: 'language', language } as const]),
        ])
      }),
  }
}

/** Returns the answer, with segments if the model supports them. */
async function ask(
  request: TranscribeRequest,
  { manifest, flavor, modelThere }: WorkContext,
  endpoint: UpstreamEndpoint<never>,
): Promise<unknown> {
  const abilities = transcriptAbilities[flavor]
  const limitBytes = answerBytes + Math.ceil((audioMsOf(request.audio) / 1000) * answerBytesPerSecond)
  const post = (form: TranscriptForm) => {
    const body = transcriptionForm(request, { model: modelThere, abilities, form })
    const { limits, ...place } = endpoint.to(request.translates ? '/audio/translations' : '/audio/transcriptions')
    // The first byte comes only after the whole recording is transcribed.
    const patient = { ...limits, firstByteMs: limits.totalMs }
    return requestJson({ ...place, limits: patient, method: 'POST', body }, limitBytes)
  }
  if (!abilities.segments || withoutSegments.has(manifest)) return post('json')
  try {
    return await post('verbose_json')
  } catch (error) {
    const isRefusal = error instanceof UpstreamFailure && error.status === 400
    if (!isRefusal || request.wantsWords || flavors[flavor].isInferd) throw error
  }
  const answer = await post('json')
  withoutSegments.add(manifest)
  return answer
}

function requireAble({ wantsWords, speakers, translates }: TranscribeRequest, { manifest, flavor }: WorkContext): void {
  const abilities = transcriptAbilities[flavor]
  const lacksWords = manifest.upstream?.lacks?.includes('words') === true
  const refused = (what: string, param: string) =>
    new ApiError('invalid_request', `The server of model '${manifest.id}' tells no ${what}. Leave '${param}' out.`, {
      code: 'unsupported_parameter',
      param,
    })
  if (translates && !abilities.translations)
    throw new ApiError('invalid_request', `The server of model '${manifest.id}' does not translate.`, {
      code: 'translation_unsupported',
      param: 'model',
    })
  if (speakers !== undefined && !abilities.speakers) throw refused('speakers apart', speakers.param ?? 'diarize')
  if (wantsWords && (lacksWords || !abilities.words)) throw refused('times of words', 'timestamp_granularities')
}
