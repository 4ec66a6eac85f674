import { type AudioFile, audioSampleRateHz, type DetectionRules, type TranscribeRequest } from '../../../core/speech.ts'
import { wavHeader, wavHeaderBytes } from '../../../core/wav-header.ts'
import { type UpstreamFile, UpstreamForm } from '../http/request.ts'
import type { TranscriptAbilities } from './speech-abilities.ts'

export type TranscriptForm = 'json' | 'verbose_json'

interface TranscriptionFormOptions {
  /** Name of the model at the server. */
  readonly model: string
  readonly abilities: TranscriptAbilities
  readonly form: TranscriptForm
}

/** Returns a form with the recording. The form can be sent only once, since the recording is read while it is sent. */
export function transcriptionForm(
  { audio, language, translates, prompt, keywords, detection = {}, wantsWords, speakers }: TranscribeRequest,
  { model, abilities, form }: TranscriptionFormOptions,
): UpstreamForm {
  const granularities = wantsWords ? ['segment', 'word'] : []
  return new UpstreamForm(
    [
      ['model', model],
      ['response_format', form],
      ...granularities.map((each) => ['timestamp_granularities[]', each] as const),
      ...(translates ? [] : optional('language', language)),
      ...promptFields({ prompt, keywords }, abilities),
      ...(abilities.detection ? detectionFields(detection) : []),
      ...optional('diarize', speakers && 'true'),
      ...optional('min_speakers', speakers?.minimumSpeakers?.toString()),
      ...optional('max_speakers', speakers?.maximumSpeakers?.toString()),
    ],
    wavFile(audio),
  )
}

/** Returns prompt and keywords; servers without keywords get them at the end of the prompt. */
function promptFields(
  { prompt, keywords = [] }: Pick<TranscribeRequest, 'prompt' | 'keywords'>,
  abilities: TranscriptAbilities,
): (readonly [string, string])[] {
  if (!abilities.prompt) return []
  if (!abilities.keywords) return optional('prompt', [prompt ?? [], keywords].flat().join(', ') || undefined)
  // In one field, because a form may have 100.
  const listed = keywords.length === 0 ? undefined : JSON.stringify(keywords)
  return [...optional('prompt', prompt), ...optional('keywords', listed)]
}

function detectionFields({ threshold, silenceSeconds, paddingSeconds }: DetectionRules): (readonly [string, string])[] {
  const milliseconds = (seconds: number | undefined) =>
    seconds === undefined ? undefined : String(Math.round(seconds * 1000))
  const rules = [
    ...optional('chunking_strategy[threshold]', threshold?.toString()),
    ...optional('chunking_strategy[silence_duration_ms]', milliseconds(silenceSeconds)),
    ...optional('chunking_strategy[prefix_padding_ms]', milliseconds(paddingSeconds)),
  ]
  return rules.length === 0 ? [] : [['chunking_strategy[type]', 'server_vad'], ...rules]
}

function optional(name: string, value: string | undefined): (readonly [string, string])[] {
  return value === undefined ? [] : [[name, value]]
}

function wavFile({ path, sampleCount }: AudioFile): UpstreamFile {
  const dataBytes = sampleCount * Int16Array.BYTES_PER_ELEMENT
  return {
    field: 'file',
    name: 'recording.wav',
    type: 'audio/wav',
    bytes: wavHeaderBytes + dataBytes,
    content: content(),
  }

  async function* content(): AsyncGenerator<Uint8Array> {
    yield wavHeader(dataBytes, audioSampleRateHz)
    yield* Bun.file(path).slice(0, dataBytes).stream()
  }
}
