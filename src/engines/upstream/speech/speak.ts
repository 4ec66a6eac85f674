/** Texts that are spoken by a server behind. */
import type { JsonObject } from '../../../core/json.ts'
import { type AudioFormat, charactersOf, type SpeakRequest, spokenSampleRateHz } from '../../../core/speech.ts'
import { findVoice } from '../../../core/speech-model-settings.ts'
import { nothingConsumed } from '../../../core/usage.ts'
import { UpstreamFailure } from '../http/failure.ts'
import { type BytesAnswer, postForBytes } from '../http/post-for-bytes.ts'
import { servedWorkOf } from '../served-work.ts'
import type { PrepareWork, WorkContext } from '../work/upstream-work.ts'
import { toSpokenSamples } from './spoken-samples.ts'
import { openWav } from './wav-samples.ts'

/** About as much as is spoken in a second: of an answer that its client left, so much is taken to have been spoken. */
const charactersPerSecond = 15

/** How each format begins, and about how many bytes of it are a second of speech. */
const formats: Readonly<Record<AudioFormat, { readonly begins: RegExp; readonly bytesPerSecond: number }>> = {
  mp3: { begins: /^(ID3|\xff[\xe0-\xff])/, bytesPerSecond: 8_000 },
  opus: { begins: /^OggS/, bytesPerSecond: 4_000 },
  flac: { begins: /^fLaC/, bytesPerSecond: 20_000 },
  wav: { begins: /^/, bytesPerSecond: 2 * spokenSampleRateHz },
  pcm: { begins: /^/, bytesPerSecond: 2 * spokenSampleRateHz },
}

/** No voice is so slow. */
const secondsOfCharacterLimit = 4
const secondsLimit = 30

export const prepareSpeak: PrepareWork<'speak'> = (request, context) => {
  const { format, speed } = request
  const characters = charactersOf(request.input)
  const all = { ...nothingConsumed, characters }
  const { bytesPerSecond } = formats[format]
  const limitBytes = ((secondsLimit + characters * secondsOfCharacterLimit) / speed) * 8 * bytesPerSecond
  return {
    estimate: { least: all, most: all },
    prefix: '',
    run: (link) =>
      link.call(async (endpoint) => {
        const answer = await postForBytes({ ...endpoint.to('/audio/speech'), body: speakBody(request, context) })
        let bytes = 0
        for await (const piece of audioOf(answer, request, context)) {
          bytes += piece.length
          if (bytes > limitBytes)
            throw new UpstreamFailure('too-large', 'the server speaks far longer than the text is')
          const spoken = Math.ceil((bytes / bytesPerSecond) * charactersPerSecond * speed)
          link.used({ ...nothingConsumed, characters: Math.min(spoken, characters) }, true)
          endpoint.emit([{ type: 'audio', bytes: piece }])
          await endpoint.unpaused()
        }
        if (bytes === 0) throw new UpstreamFailure('malformed', 'the server answered without a sound')
        link.used(all)
      }),
  }
}

function speakBody({ input, voice, speed, format }: SpeakRequest, { manifest, modelThere }: WorkContext): JsonObject {
  const { synthesizer } = manifest
  return {
    model: modelThere,
    input,
    voice: (synthesizer && findVoice(synthesizer, voice))?.name ?? voice,
    response_format: isSampled(format) ? servedWorkOf(manifest).speech.samples : format,
    ...(speed !== 1 && { speed }),
  }
}

/** Samples are brought to the rate of all answers; other formats are passed on as they are. */
async function* audioOf({ headers, pieces }: BytesAnswer, { format }: SpeakRequest, { manifest }: WorkContext) {
  if (!isSampled(format)) {
    yield* checked(pieces, format)
  } else if (servedWorkOf(manifest).speech.samples === 'wav') {
    const { samples, ...form } = await openWav(pieces)
    yield* toSpokenSamples(samples, form)
  } else {
    const told = Number(headers.get('x-sample-rate') ?? spokenSampleRateHz)
    const sampleRateHz = told >= 4_000 && told <= 192_000 ? told : spokenSampleRateHz
    yield* toSpokenSamples(pieces, { sampleRateHz, channels: 1 })
  }
}

/** Bare samples: the header of a WAV file is made where their number is known. */
function isSampled(format: AudioFormat): boolean {
  return format === 'pcm' || format === 'wav'
}

/** Throws UpstreamFailure for what is no audio of the format, such as a message. */
async function* checked(pieces: AsyncGenerator<Uint8Array>, format: AudioFormat): AsyncGenerator<Uint8Array> {
  let head: Uint8Array | undefined
  for await (const piece of pieces) {
    if (head !== undefined && head.length >= 4) {
      yield piece
      continue
    }
    head = head === undefined ? piece : Buffer.concat([head, piece])
    if (head.length < 4) continue
    if (!formats[format].begins.test(Buffer.from(head.subarray(0, 4)).toString('latin1'))) {
      throw new UpstreamFailure('malformed', `the server answered with something that is no ${format}`)
    }
    yield head
  }
}
