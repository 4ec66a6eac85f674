/**
 * Transcription, computed in parts: the speech finder cuts a recording into chunks, which are recognised beside or
 * together with other recordings' chunks; the results are sent in order.
 */
import { ApiError } from '../../../core/errors.ts'
import {
  type AudioFile,
  audioMsOf,
  type SpokenLanguage,
  type TranscribeRequest,
  type TranscriptSegment,
} from '../../../core/speech.ts'
import { type Consumption, nothingConsumed } from '../../../core/usage.ts'
import type { Work } from '../../../core/work.ts'
import type { Job, JobLine, PartsEngine } from '../../shared/parts-job.ts'
import { readSamples } from '../../shared/read-samples.ts'
import type { StepClock } from '../../shared/step-clock.ts'
import type { WordPieces } from './hotwords.ts'
import type { RecognizedChunk, Recognizer, Sound } from './recognizer.ts'
import { isSameSetting, type RecognizerKind, type RunSetting, usualSetting } from './recognizer-kinds.ts'
import { settingRuns } from './setting-runs.ts'
import type { Chunk } from './speech-cutter.ts'
import type { CutRecording, SpeechFinder } from './speech-finder.ts'
import { transcriptOf } from './transcript.ts'

interface TranscribeOptions {
  readonly recognizer: Recognizer
  readonly finder: SpeechFinder
  readonly kind: RecognizerKind
  /** Languages of the model. Undefined if unknown. */
  readonly languages: readonly string[] | undefined
  /** Vocabulary of a model that prefers words of the client. Undefined for others. */
  readonly hotwords?: WordPieces | undefined
  /** Most parallel runs of the recogniser. */
  readonly lanes: number
  readonly clock: StepClock
  /** Writes a line for the operator. */
  readonly log: (line: string) => void
  /** Ends the process: native code that hangs cannot be stopped alone. */
  readonly onHang: (reason: string) => void
  readonly chunkLimitMs?: number
}

/** Limit for one chunk. The slowest models take a minute on one core, which other processes may share. */
const defaultChunkLimitMs = 15 * 60_000

interface ChunkToRecognize {
  readonly audio: AudioFile
  readonly chunk: Chunk
  readonly setting: RunSetting
  /** Phrases that may be said; empty if there are none. */
  readonly hotwords: string
}

const noResult = { status: 'rejected', reason: new Error('a chunk has no result: this is a bug') } as const

type Transcript = TranscriptSegment | SpokenLanguage

export function transcribing(
  options: TranscribeOptions,
): PartsEngine<Work<'transcribe'>, ChunkToRecognize, RecognizedChunk, Transcript> {
  const { recognizer, lanes, clock, log, onHang, chunkLimitMs = defaultChunkLimitMs } = options
  const inTime = async <Result>(work: Promise<Result>): Promise<Result> => {
    const timer = setTimeout(() => onHang('a part of a recording takes far too long'), chunkLimitMs)
    try {
      return await work
    } finally {
      clearTimeout(timer)
    }
  }
  let settingNow = usualSetting
  return {
    open: ({ request }, line) => transcription(request, line, options, inTime),
    compute: async (chunks) => {
      const [{ setting = settingNow } = {}] = chunks
      if (!isSameSetting(setting, settingNow)) recognizer.set(setting)
      settingNow = setting
      const sounds = await clock.timeAsync('build', Promise.allSettled(chunks.map(soundOf)))
      const ready = sounds.flatMap((each) => (each.status === 'fulfilled' ? each.value : []))
      const run = ready.length === 0 ? [] : clock.timeAsync('device', inTime(recognizer.recognize(ready)))
      const recognized = (await run).values()
      return sounds.map((read) => (read.status === 'rejected' ? read : (recognized.next().value ?? noResult)))
    },
    costOf: ({ chunk }) => chunk.end - chunk.start,
    batching: settingRuns(() => recognizer.chunksTogether),
    startsWith: 'grant',
    get partsAhead() {
      return lanes * recognizer.chunksTogether
    },
    toError: (thrown) => {
      log(`request failed: ${String(thrown)}`)
      const message = 'The model could not transcribe this recording. Nothing was charged; send the request again.'
      return new ApiError('engine', message, { code: 'engine_failed' })
    },
  }
}

function transcription(
  { audio, language, translates = false, detection, wantsWords, wantsTokens = false, ...named }: TranscribeRequest,
  line: JobLine<Transcript>,
  { finder, kind, languages, hotwords: pieces, clock }: TranscribeOptions,
  inTime: <Result>(work: Promise<Result>) => Promise<Result>,
): Job<ChunkToRecognize, RecognizedChunk, Transcript> {
  const { inventsText } = kind
  // The library ends the process for a language unknown to the model.
  const isKnown = kind.takesLanguage && language !== undefined && languages?.includes(language) === true
  const setting = { language: isKnown ? language : '', translates: kind.takesLanguage && translates }
  const hotwords = pieces?.phrasesOf(named) ?? ''
  const spoken = new SpokenLanguages(language, languages)
  let recording: CutRecording | undefined
  return {
    total: consumed(audio.sampleCount),
    partsOf: async () => {
      recording ??= finder.open(audio, detection)
      const { chunks, isLast } = await inTime(recording.read())
      return { parts: chunks.map((chunk) => ({ audio, chunk, setting, hotwords })), isLast }
    },
    accept: (recognized, { chunk }) => {
      spoken.hear(recognized.language, chunk.end - chunk.start)
      line.send(clock.time('accept', () => transcriptOf(recognized, chunk, { wantsWords, wantsTokens, inventsText })))
    },
    finish: () => {
      const most = spoken.most()
      return most === undefined ? [] : [{ type: 'language', language: most }]
    },
    // Charges the recording up to the end of the last started chunk.
    consumed: (begun) => consumed(begun.at(-1)?.chunk.end ?? 0),
    close: () => recording?.close(),
  }
}

async function soundOf({ audio, chunk, hotwords }: ChunkToRecognize): Promise<Sound> {
  return { samples: await readSamples(audio, chunk.start, chunk.end), hotwords }
}

function consumed(sampleCount: number): Consumption {
  return { ...nothingConsumed, audioMs: audioMsOf({ sampleCount }) }
}

/** Language of a recording, from the client's declaration, the model's detection, and the model's languages. Pure. */
class SpokenLanguages {
  readonly #stated: string | undefined
  /** Samples by detected language. */
  readonly #heard = new Map<string, number>()
  readonly #only: string | undefined

  /** `stated`: the client's declaration. `known`: all languages of the model. */
  constructor(stated: string | undefined, known: readonly string[] | undefined) {
    this.#stated = stated
    this.#only = known?.length === 1 ? known[0] : undefined
  }

  hear(language: string | undefined, samples: number): void {
    if (language !== undefined) this.#heard.set(language, (this.#heard.get(language) ?? 0) + samples)
  }

  /** Returns the declared language, else the one detected in most samples, else the model's only one. */
  most(): string | undefined {
    const [longest] = [...this.#heard].sort(([, first], [, second]) => second - first)
    return this.#stated ?? longest?.[0] ?? this.#only
  }
}
