/**
 * Speech, computed in parts: a text is cut into sentences, which are synthesized in turns with those of others and
 * encoded in order.
 */
import { ApiError } from '../../../core/errors.ts'
import { charactersOf, type SpokenAudio } from '../../../core/speech.ts'
import { findVoice, type SynthesizerSettings, type Voice } from '../../../core/speech-model-settings.ts'
import { type Consumption, nothingConsumed } from '../../../core/usage.ts'
import type { Work } from '../../../core/work.ts'
import type { Job, JobLine, PartsEngine } from '../../shared/parts-job.ts'
import type { StepClock } from '../../shared/step-clock.ts'
import { oneByOne } from '../../shared/waiting-parts.ts'
import type { AudioEncoder } from './audio/audio-encoder.ts'
import type { Manner, Speaker } from './speaker.ts'
import { prepareText } from './text/prepare-text.ts'
import type { Sentence } from './text/sentences.ts'

interface SpeakOptions {
  readonly speaker: Pick<Speaker, keyof Speaker>
  readonly synthesizer: SynthesizerSettings
  /** Sentences synthesized in parallel. */
  readonly lanes: number
  readonly clock: StepClock
  /** Writes a line for the operator. */
  readonly log: (line: string) => void
}

interface SentenceToSpeak {
  readonly sentence: Sentence
  readonly manner: Manner
}

/** Sentences of a request that may wait in memory for its encoder, which is faster than most models. */
const unencodedSentences = 2

export function speaking({
  speaker,
  synthesizer,
  lanes,
  clock,
  log,
}: SpeakOptions): PartsEngine<Work<'speak'>, SentenceToSpeak, Int16Array, SpokenAudio> {
  const silentVoices = new Set<string>()
  /** Logs a silent voice only once per voice, since clients can send any text. */
  const noteSilence = ({ name, language = 'none' }: Voice) => {
    if (!silentVoices.has(name))
      log(`voice "${name}" made no sound of a text: look whether the model knows its language, ${language}`)
    silentVoices.add(name)
  }
  return {
    open: ({ request }, line) => {
      const voice = findVoice(synthesizer, request.voice)
      if (voice === undefined) throw unknownVoice(request.voice)
      return speech(request, voice, { speaker, line, onSilence: () => noteSilence(voice) })
    },
    compute: (parts) =>
      Promise.allSettled(
        parts.map(({ sentence, manner }) => clock.timeAsync('device', speaker.speak(sentence, manner))),
      ),
    costOf: ({ sentence, manner }) => sentence.text.length / manner.speed,
    batching: oneByOne,
    startsWith: 'grant',
    unacceptedLimit: lanes + unencodedSentences,
    toError: (thrown) => {
      log(`request failed: ${String(thrown)}`)
      const message = 'The model could not speak this text. Nothing was charged; send it again, or another one.'
      return new ApiError('engine', message, { code: 'engine_failed' })
    },
  }
}

interface SpeechTools {
  readonly speaker: SpeakOptions['speaker']
  readonly line: JobLine<SpokenAudio>
  /** Called if the model made no sound for a text that has sentences. */
  readonly onSilence: () => void
}

function speech(
  { input, speed, format }: Work<'speak'>['request'],
  voice: Voice,
  { speaker, line, onSilence }: SpeechTools,
): Job<SentenceToSpeak, Int16Array, SpokenAudio> {
  const { isWanted } = line
  const characters = charactersOf(input)
  let sentences: readonly Sentence[] = []
  let encoder: AudioEncoder | undefined
  let isEncoding = false
  let hasSound = false
  return {
    total: consumed(characters),
    partsOf: () => {
      const { language } = voice
      sentences = prepareText(input, { language, needsWords: speaker.needsWords, speed })
      encoder = speaker.openEncoder(format, line.id)
      const parts = sentences.map((sentence, index) => {
        const isLast = index === sentences.length - 1
        return { sentence, manner: { voice, speed, isLast, isWanted } }
      })
      return { parts, isLast: true }
    },
    accept: async (samples) => {
      if (encoder === undefined) return
      hasSound ||= samples.length > 0
      isEncoding = true
      try {
        for await (const bytes of speaker.encode(encoder, samples)) {
          if (!isWanted()) return
          line.send(audioOf(bytes))
        }
      } finally {
        isEncoding = false
        if (!isWanted()) encoder.close()
      }
    },
    finish: () => {
      if (encoder === undefined) return []
      const silence = hasSound ? [] : audioOf(encoder.push(speaker.silence()))
      if (!hasSound && sentences.length > 0) onSilence()
      return [...silence, ...audioOf(encoder.end())]
    },
    // Charges the input's characters in proportion to the started sentences.
    consumed: (begun) => {
      const all = lengthOf(sentences)
      const part = lengthOf(begun.map(({ sentence }) => sentence))
      return consumed(all === 0 ? 0 : Math.round((characters * part) / all))
    },
    // A busy encoder is closed when it is done.
    close: () => {
      if (!isEncoding) encoder?.close()
    },
  }
}

function audioOf(bytes: Uint8Array): readonly SpokenAudio[] {
  return bytes.length === 0 ? [] : [{ type: 'audio', bytes }]
}

function lengthOf(sentences: readonly Sentence[]): number {
  return sentences.reduce((sum, { text }) => sum + text.length, 0)
}

function consumed(characters: number): Consumption {
  return { ...nothingConsumed, characters }
}

function unknownVoice(voice: string): ApiError {
  return new ApiError('invalid_request', `The model has no voice '${voice}'.`, {
    code: 'invalid_value',
    param: 'voice',
  })
}
