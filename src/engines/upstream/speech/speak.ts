/** Speaks texts at upstream servers. */
import type { JsonObject } from '../../../core/json.ts'
import { type AudioFormat, charactersOf, type SpeakRequest, spokenSampleRateHz } from '../../../core/speech.ts'
import { findVoice } from '../../../core/speech-model-settings.ts'
import { nothingConsumed } from '../../../core/usage.ts'
import { malformedAnswer, UpstreamFailure } from '../http/failure.ts'
import { type BytesAnswer, postForBytes } from '../http/post-for-bytes.ts'
import type { PrepareWork, WorkContext } from '../work/upstream-work.ts'
import { sampleFormats } from './speech-abilities.ts'
import { toSpokenSamples } from './spoken-samples.ts'
import { openWav } from './wav-samples.ts'

/** Approximate characters spoken per second, to estimate how much of the text a disconnected client has received. */
const charactersPerSecond = 15

/** Approximate bytes per second of speech in each format. */
const bytesPerSecond: Readonly<Record<AudioFormat, number>> = {
  mp3: 8_000,
  opus: 4_000,
  flac: 20_000,
  wav: 2 * spokenSampleRateHz,
  pcm: 2 * spokenSampleRateHz,
}

const audioType = /^(audio\/|application\/(octet-stream|ogg)\b)/i

/** Longest possible speech per character, in seconds. */
const secondsOfCharacterLimit = 4
const secondsLimit = 30

export const prepareSpeak: PrepareWork<'speak'> = (request, context) => {
  const { format, speed } = request
  const characters = charactersOf(request.input)
  const all = { ...nothingConsumed, characters }
  const limitBytes = ((secondsLimit + characters * secondsOfCharacterLimit) / speed) * 8 * bytesPerSecond[format]
  return {
    estimate: { least: all, most: all },
    prefix: '',
    run: (link) =>
      link.call(async (endpoint) => {
        const answer = await postForBytes({ ...endpoint.to('/audio/speech'), body: speakBody(request, context) })
        let bytes = 0
        try {
          requireAudio(answer)
          for await (const piece of await audioOf(answer, request, context)) {
            bytes += piece.length
            if (bytes > limitBytes)
              throw new UpstreamFailure('too-large', 'the server speaks far longer than the text is')
            const spoken = Math.ceil((bytes / bytesPerSecond[format]) * charactersPerSecond * speed)
            link.used({ ...nothingConsumed, characters: Math.min(spoken, characters) }, true)
            endpoint.emit([{ type: 'audio', bytes: piece }])
            await endpoint.unpaused()
          }
        } finally {
          answer.close()
        }
        if (bytes === 0) throw new UpstreamFailure('malformed', 'the server answered without a sound')
        link.used(all)
      }),
  }
}

function speakBody(
  { input, voice, speed, format }: SpeakRequest,
  { manifest, flavor, modelThere }: WorkContext,
): JsonObject {
  const { synthesizer } = manifest
  return {
    model: modelThere,
    input,
    voice: (synthesizer && findVoice(synthesizer, voice))?.name ?? voice,
    response_format: isSampled(format) ? sampleFormats[flavor] : format,
    ...(speed !== 1 && { speed }),
  }
}

/** Resamples raw samples to the rate of all answers. Passes other formats through. */
async function audioOf(
  { headers, pieces }: BytesAnswer,
  { format }: SpeakRequest,
  { flavor }: WorkContext,
): Promise<AsyncIterable<Uint8Array>> {
  if (!isSampled(format)) return pieces
  if (sampleFormats[flavor] === 'wav') {
    const { samples, ...form } = await openWav(pieces)
    return toSpokenSamples(samples, form)
  }
  const told = Number(headers.get('x-sample-rate') ?? spokenSampleRateHz)
  const sampleRateHz = told >= 4_000 && told <= 192_000 ? told : spokenSampleRateHz
  return toSpokenSamples(pieces, { sampleRateHz, channels: 1 })
}

/**
 * Returns whether inferd requests raw samples for the format. A WAV header is written later, once the number of
 * samples is known.
 */
function isSampled(format: AudioFormat): boolean {
  return format === 'pcm' || format === 'wav'
}

/** Throws UpstreamFailure if the answer is not audio, but for example an HTML page. */
function requireAudio({ headers }: BytesAnswer): void {
  if (audioType.test(headers.get('content-type') ?? '')) return
  throw malformedAnswer('something that is no audio')
}
