import { dirname, join } from 'node:path'
import { errorText } from '../../../core/error-text.ts'
import { audioSampleRateHz } from '../../../core/speech.ts'
import { LoadError } from '../../protocol/load-error.ts'
import { SharedRuns } from '../../shared/shared-runs.ts'
import { openSherpa } from '../open-sherpa.ts'
import { type PathOf, type RecognizerKind, type RunSetting, usualSetting } from './recognizer-kinds.ts'
import type { Recognized } from './words.ts'

type Handle = object

interface RecognizerBinding {
  createOfflineRecognizerAsync(config: object): Promise<Handle>
  offlineRecognizerSetConfig(recognizer: Handle, config: object): void
  /** `hotwords`: phrases between slashes, which the recogniser prefers in this stream. */
  createOfflineStream(recognizer: Handle, hotwords?: string): Handle
  /** Computes the features, blocking for 1 to 2 ms per second of audio. */
  acceptWaveformOffline(stream: Handle, audio: { readonly samples: Float32Array; readonly sampleRate: number }): void
  /** Rejects for audio that is too short. */
  decodeOfflineStreamAsync(recognizer: Handle, stream: Handle): Promise<string>
}

/** The library's JSON about a stream. Kinds of models fill different lists. */
interface RawResult {
  readonly text: string
  readonly lang?: string
  readonly tokens?: readonly string[]
  readonly timestamps?: readonly number[]
  readonly durations?: readonly number[]
  readonly ys_log_probs?: readonly number[]
  readonly segment_timestamps?: readonly number[]
  readonly segment_durations?: readonly number[]
  readonly segment_texts?: readonly string[]
}

/** A part of the text to which the model gives times. */
interface TimedText {
  readonly text: string
  readonly startSeconds: number
  readonly endSeconds: number
}

/** Chunk to recognise. */
export interface Sound {
  readonly samples: Float32Array
  /** Phrases that may be said in it, between slashes. Empty if there are none. */
  readonly hotwords: string
}

export interface RecognizedChunk extends Recognized {
  /** ISO 639-1 code; undefined if the model does not report it. */
  readonly language: string | undefined
  /** Parts with times. Empty if the model does not report them. */
  readonly parts: readonly TimedText[]
}

export interface Recognizer {
  /** Most chunks of one run. Decreases if the device has too little memory. */
  readonly chunksTogether: number
  /**
   * Recognises chunks in one run. Resolves with each chunk's result or the library's error. Several runs may compute
   * at the same time, each with separate threads.
   */
  recognize(chunks: readonly Sound[]): Promise<readonly PromiseSettledResult<RecognizedChunk>[]>
  /**
   * Sets the language and task of all later runs. Must be called while no run computes, and the next run must be alone: the
   * library is not safe for parallel runs then.
   */
  set(setting: RunSetting): void
}

interface RecognizerOptions {
  readonly sherpaOnnx: string
  readonly kind: RecognizerKind
  readonly pathOf: PathOf
  /** CPU threads per chunk. */
  readonly threads: number
  readonly provider: 'cuda' | 'cpu'
  /**
   * Path of the addon that starts runs of several chunks, and the most chunks of a run, for kinds that share runs. If
   * absent, runs have one chunk.
   */
  readonly together?: { readonly addon: string; readonly chunks: number }
  /** Path of a vocabulary with scores, for kinds that take hotwords. If absent, hotwords have no effect. */
  readonly scoredPieces?: string | undefined
  /** Writes a line for the operator. */
  readonly log: (line: string) => void
}

/** Search that takes hotwords, with the library's usual width and weight. */
const beamSearch = { decodingMethod: 'modified_beam_search', maxActivePaths: 4, hotwordsScore: 1.5 }

/**
 * Loads a recogniser. Rejects with the library's error about the model. A model that lacks expected parts ends the
 * process.
 */
export async function openRecognizer({
  sherpaOnnx,
  kind,
  pathOf,
  threads,
  provider,
  together,
  scoredPieces,
  log,
}: RecognizerOptions): Promise<Recognizer> {
  const binding = openSherpa<RecognizerBinding>(sherpaOnnx)
  const config = (setting: RunSetting) => ({
    featConfig: { sampleRate: audioSampleRateHz, featureDim: 80 },
    ...(scoredPieces !== undefined && beamSearch),
    modelConfig: {
      ...kind.config(pathOf, setting),
      ...(scoredPieces !== undefined && { modelingUnit: 'bpe', bpeVocab: scoredPieces }),
      tokens: pathOf('tokens'),
      numThreads: threads,
      debug: 0,
      provider,
    },
  })
  const recognizer = await binding.createOfflineRecognizerAsync(config(usualSetting)).catch((error: unknown) => {
    const message = errorText(error)
    throw new LoadError(/alloc/i.test(message) ? 'out-of-memory' : 'bad-model', message)
  })
  /** Handles in use. The addon keeps no reference, so without this set they would be freed during the computation. */
  const computing = new Set<Handle>()
  const streamOf = ({ hotwords }: Sound) =>
    hotwords === '' || scoredPieces === undefined
      ? binding.createOfflineStream(recognizer)
      : binding.createOfflineStream(recognizer, hotwords)
  const alone = async (sound: Sound): Promise<string> => {
    const stream = streamOf(sound)
    computing.add(stream)
    try {
      binding.acceptWaveformOffline(stream, { samples: sound.samples, sampleRate: audioSampleRateHz })
      return await binding.decodeOfflineStreamAsync(recognizer, stream)
    } finally {
      computing.delete(stream)
    }
  }
  const read = (json: string): RecognizedChunk => {
    const raw = JSON.parse(json) as RawResult
    // The library writes an empty result instead of rejecting.
    if (kind.takesLanguage && !raw.lang) throw new Error('sherpa-onnx could not decode a chunk: see the lines before')
    return toRecognized(raw)
  }
  const inOneRun = (recognize: RecognizeTogether, sounds: readonly Sound[]) =>
    recognize(
      recognizer,
      sounds.map(streamOf),
      sounds.map(({ samples }) => samples),
    )
  const shared = kind.sharesRuns && together !== undefined ? await tryTogether(together.addon) : undefined
  const runs = new SharedRuns(shared === undefined ? 1 : (together?.chunks ?? 1), async (sounds: readonly Sound[]) =>
    shared === undefined || sounds.length === 1
      ? Promise.all(sounds.map(async (sound) => read(await alone(sound))))
      : (await inOneRun(shared, sounds)).map(read),
  )

  /** Returns the call that computes several chunks in one run, if a trial run of two chunks equals single runs. */
  async function tryTogether(addon: string): Promise<RecognizeTogether | undefined> {
    const tone = testTone()
    const { text } = read(await alone(tone))
    try {
      const open = openTogether(addon, sherpaOnnx)
      const texts = (await inOneRun(open, [tone, tone])).map((json) => read(json).text)
      if (texts.length === 2 && texts.every((each) => each === text)) return open
      throw new Error(`it says ${JSON.stringify(texts)} instead of ${JSON.stringify(text)} twice`)
    } catch (error) {
      log(`recognises one chunk in a run: ${errorText(error)}`)
      return undefined
    }
  }

  return {
    get chunksTogether() {
      return runs.limit
    },
    recognize: (chunks) => runs.compute(chunks),
    set: (setting) => binding.offlineRecognizerSetConfig(recognizer, config(setting)),
  }
}

/** Returns half a second of a tone. */
export function testTone(): Sound {
  const samples = Float32Array.from({ length: audioSampleRateHz / 2 }, (_, at) => Math.sin(at / 20) / 5)
  return { samples, hotwords: '' }
}

function toRecognized(raw: RawResult): RecognizedChunk {
  const { text, lang = '', tokens = [], timestamps = [], durations = [], ys_log_probs = [] } = raw
  const { segment_timestamps = [], segment_durations = [], segment_texts = [] } = raw
  const parts = segment_texts.map((part, index) => {
    const startSeconds = segment_timestamps[index] ?? 0
    return { text: part, startSeconds, endSeconds: startSeconds + (segment_durations[index] ?? 0) }
  })
  const language = lang.replaceAll(/[<|>]/g, '').toLowerCase().replace(/^jw$/, 'jv')
  return {
    text,
    tokens,
    timestamps,
    durations,
    logProbabilities: ys_log_probs,
    language: /^[a-z]{2,3}$/.test(language) ? language : undefined,
    parts,
  }
}

/** Addon for runs of several chunks, which sherpa-onnx's library supports and its own addon does not. */
interface TogetherBinding {
  /** Throws if the library at the path is not loaded or lacks a function. */
  open(path: string): void
  /**
   * Feeds 16 kHz samples to each stream and computes all in one run, on a separate thread. Rejects with the library's
   * error.
   */
  recognizeTogether(recognizer: object, streams: readonly object[], samples: readonly Float32Array[]): Promise<string[]>
}

/** Resolves with the library's JSON about each stream. Handles come from sherpa-onnx's addon; streams are new. */
type RecognizeTogether = TogetherBinding['recognizeTogether']

/** Opens the addon at a path. Throws if it is missing, or sherpa-onnx's library lacks a function. */
function openTogether(addon: string, sherpaOnnx: string): RecognizeTogether {
  const binding = openSherpa<TogetherBinding>(addon)
  binding.open(join(dirname(sherpaOnnx), 'libsherpa-onnx-c-api.so'))
  return binding.recognizeTogether
}
