import { type AudioFormat, spokenSampleRateHz } from '../../core/speech.ts'
import { wavHeader } from '../../core/wav-header.ts'
import type { WorkEvent } from '../../core/work.ts'
import { dataEncoder } from '../data-encoder.ts'
import type { AnswerContext, AnswerEncoder, AnswerHead, WorkDialect } from '../dialect.ts'
import { dataFrame, keepAliveFrame } from '../sse-frame.ts'
import { parseSpeech, SpeechBody, type SpeechCall } from './parse-request.ts'

type SpeechEvent = WorkEvent<'speak'>

const heads: Readonly<Record<AudioFormat, AnswerHead>> = {
  mp3: { contentType: 'audio/mpeg' },
  wav: { contentType: 'audio/wav' },
  opus: { contentType: 'audio/ogg' },
  flac: { contentType: 'audio/flac' },
  pcm: { contentType: 'audio/pcm', headers: { 'x-sample-rate': String(spokenSampleRateHz) } },
}

/** POST /audio/speech. */
export const speechDialect: WorkDialect<SpeechCall, SpeechEvent> = {
  endpoint: 'audio/speech',
  kind: 'speak',
  body: SpeechBody,
  parse: parseSpeech,
  answers: [...Object.values(heads).map(({ contentType }) => contentType), 'text/event-stream'],
  collector: () => {
    throw new Error('speech is sent as it is made: this is a bug')
  },
  encoder: ({ request: { format }, isEvents }, context) =>
    isEvents ? eventEncoder(format, context) : audioEncoder(format),
}

/** Returns the encoder of bytes as the engine makes them. A WAV file begins with its size. */
function audioEncoder(format: AudioFormat): AnswerEncoder<SpeechEvent> {
  return {
    head: heads[format],
    push: (event) => (event.type === 'audio' ? [event.bytes] : []),
    end: () => [],
    ...(format === 'wav' && { prefix: wavHeader }),
  }
}

/** Returns the encoder of the bytes in base64, with the usage. A WAV file sent this way leaves its size open. */
function eventEncoder(format: AudioFormat, context: AnswerContext): AnswerEncoder<SpeechEvent> {
  const push = (event: SpeechEvent): string[] => {
    switch (event.type) {
      case 'start':
        return format === 'wav' ? [deltaFrame(wavHeader(undefined))] : [keepAliveFrame]
      case 'audio':
        return [deltaFrame(event.bytes)]
      case 'finish': {
        // Usage for clients, which expect token counts although speech has none
        const tokens = { input_tokens: 0, output_tokens: 0, total_tokens: 0 }
        const usage = { ...tokens, input_characters: event.usage.characters }
        return [dataFrame({ type: 'speech.audio.done', usage })]
      }
    }
  }
  return dataEncoder(context, push, [])
}

function deltaFrame(bytes: Uint8Array): string {
  const audio = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64')
  return dataFrame({ type: 'speech.audio.delta', audio })
}
