/**
 * The life of transcriptions: paid for, cut into chunks by the speech finder, recognised chunk by chunk beside those of others, or
 * together with them in one run, told in order. A chunk that was begun is computed to its end, also when the client disconnects.
 */
import { ApiError, errorData } from '../../../core/errors.ts'
import { audioMsOf } from '../../../core/speech.ts'
import { type Consumption, nothingConsumed } from '../../../core/usage.ts'
import type { Work, WorkEvent } from '../../../core/work.ts'
import type { EngineStats, RequestEvent } from '../../protocol/protocol.ts'
import { readSamples } from '../../shared/read-samples.ts'
import { StepClock } from '../../shared/step-clock.ts'
import { ChunkQueue } from './chunk-queue.ts'
import { newTranscription, nextSegments, type OpenTranscription } from './open-transcription.ts'
import type { RecognizedChunk, Recognizer } from './recognizer.ts'
import type { RecognizerKind } from './recognizer-kinds.ts'
import type { Chunk } from './speech-cutter.ts'
import type { SpeechFinder } from './speech-finder.ts'
import { transcriptOf } from './transcript.ts'

type TranscribeEvent = RequestEvent<WorkEvent<'transcribe'>>

export interface TranscribeLoopOptions {
  readonly recognizer: Recognizer
  readonly finder: SpeechFinder
  readonly kind: RecognizerKind
  readonly languages: readonly string[] | undefined
  /** Runs of the recogniser that compute side by side. */
  readonly lanes: number
  readonly threadsPerLane: number
  readonly emit: (events: readonly TranscribeEvent[]) => void
  /** A line for the operator. */
  readonly log: (line: string) => void
  /** Ends the process: native code that hangs cannot be stopped alone. */
  readonly onHang: (reason: string) => void
  readonly chunkLimitMs?: number
}

/** Time for one chunk. The slowest models take a minute on one core; others may be busy on it. */
const defaultChunkLimitMs = 15 * 60_000

interface WaitingChunk {
  readonly open: OpenTranscription
  readonly chunk: Chunk
  /** Position among the chunks of its recording. */
  readonly index: number
}

export class TranscribeLoop {
  readonly #options: TranscribeLoopOptions
  readonly #open = new Map<number, OpenTranscription>()
  readonly #queue: ChunkQueue<WaitingChunk>
  readonly #clock = new StepClock()
  #steps = 0

  constructor(options: TranscribeLoopOptions) {
    this.#options = options
    this.#queue = new ChunkQueue(options.lanes)
  }

  add(id: number, accountId: string, { request }: Work<'transcribe'>): void {
    this.#open.set(id, newTranscription(id, accountId, request, this.#options.languages))
    const all = consumed(request.audio.sampleCount)
    this.#options.emit([{ id, prepared: { least: all, most: all } }])
  }

  grant(id: number): void {
    const open = this.#open.get(id)
    if (open?.state !== 'prepared') return
    open.state = 'granted'
    this.#clock.enqueue(id)
    open.recording = this.#options.finder.open(open.request.audio)
    this.#options.emit([{ id, event: { type: 'start', promptTokens: 0, cachedTokens: 0 } }])
    this.#readOn(open)
  }

  cancel(id: number): void {
    const open = this.#open.get(id)
    if (open === undefined || open.state === 'ended') return
    this.#stop(open)
    if (open.running === 0) this.#end(open, { id, cancelled: consumed(open.heard) })
  }

  useThreads(count: number): void {
    const { lanes, threadsPerLane } = this.#options
    this.#queue.setLanes(Math.max(1, Math.min(lanes, Math.floor(count / threadsPerLane))))
    this.#pump()
  }

  stats(): EngineStats {
    const all = [...this.#open.values()]
    const running = all.filter(({ state }) => state === 'granted').length
    return {
      steps: this.#steps,
      threads: this.#queue.lanes * this.#options.threadsPerLane,
      running,
      waiting: all.length - running,
      decodedPromptTokens: 0,
      reusedPromptTokens: 0,
      generatedTokens: 0,
      stepTimes: this.#clock.times(),
    }
  }

  /** Finds the next chunks, a few ahead. */
  #readOn(open: OpenTranscription): void {
    const { recording } = open
    const ahead = this.#options.lanes * this.#options.recognizer.chunksTogether
    if (recording === undefined || open.isReading || open.isCut || open.waiting.size > ahead) return
    open.isReading = true
    this.#inTime(recording.read()).then(
      ({ chunks, isLast }) => {
        // Hours of silence have no chunks, and yet the engine does not hang.
        this.#steps++
        open.isReading = false
        open.isCut = isLast
        for (const chunk of chunks) this.#enqueue(open, chunk)
        this.#goOn(open)
      },
      (error: unknown) => this.#fail(open, error),
    )
  }

  #enqueue(open: OpenTranscription, chunk: Chunk): void {
    if (open.state !== 'granted') return
    const { kind, languages } = this.#options
    const { language = '' } = open.request
    // The library ends the process for a language that the model does not know.
    const set = kind.takesLanguage && languages?.includes(language) === true ? language : ''
    const waiting = { open, chunk, index: open.found++ }
    open.waiting.set(chunk, this.#queue.add(open.accountId, chunk.end - chunk.start, set, waiting))
  }

  #goOn(open: OpenTranscription): void {
    if (open.state !== 'granted') return
    if (open.isCut && open.waiting.size === 0 && open.running === 0) this.#finish(open)
    else {
      this.#readOn(open)
      this.#pump()
    }
  }

  /** Begins runs while a lane is free. */
  #pump(): void {
    const { recognizer } = this.#options
    for (let next = this.#queue.take(); next !== undefined; next = this.#queue.take()) {
      if (next.newLanguage !== undefined) recognizer.setLanguage(next.newLanguage)
      const chunks = [next.item]
      while (chunks.length < recognizer.chunksTogether) {
        const beside = this.#queue.takeBeside()
        if (beside === undefined) break
        chunks.push(beside)
      }
      for (const { open, chunk } of chunks) {
        open.waiting.delete(chunk)
        open.running++
        open.heard = chunk.end
        this.#clock.dequeue(open.id)
      }
      void this.#recognize(chunks).finally(() => {
        this.#queue.release()
        this.#pump()
      })
      for (const { open } of chunks) this.#readOn(open)
    }
  }

  async #recognize(chunks: readonly WaitingChunk[]): Promise<void> {
    this.#steps += chunks.length
    const samples = await this.#clock.timeAsync('build', Promise.allSettled(chunks.map(samplesOf)))
    const ready = samples.flatMap((each) => (each.status === 'fulfilled' ? each.value : []))
    const run =
      ready.length === 0 ? [] : this.#clock.timeAsync('device', this.#inTime(this.#options.recognizer.recognize(ready)))
    const results = (await run).values()
    for (const [at, chunk] of chunks.entries()) {
      const read = samples[at]
      this.#settle(chunk, read?.status === 'rejected' ? read : results.next().value)
    }
  }

  #settle({ open, chunk, index }: WaitingChunk, result: PromiseSettledResult<RecognizedChunk> | undefined): void {
    const { inventsText } = this.#options.kind
    const { wantsWords } = open.request
    try {
      if (result?.status !== 'fulfilled') throw result?.reason ?? new Error('a chunk has no result: this is a bug')
      const recognized = result.value
      open.spoken.hear(recognized.language, chunk.end - chunk.start)
      const transcript = this.#clock.time('accept', () => transcriptOf(recognized, chunk, { wantsWords, inventsText }))
      open.untold.set(index, transcript)
    } catch (error) {
      this.#fail(open, error)
    }
    open.running--
    if (open.state === 'ended') {
      if (open.running === 0) this.#end(open, { id: open.id, cancelled: consumed(open.heard) })
      return
    }
    this.#tell(open)
    this.#goOn(open)
  }

  async #inTime<Result>(work: Promise<Result>): Promise<Result> {
    const { chunkLimitMs = defaultChunkLimitMs, onHang } = this.#options
    const timer = setTimeout(() => onHang('a part of a recording takes far too long'), chunkLimitMs)
    try {
      return await work
    } finally {
      clearTimeout(timer)
    }
  }

  /** Tells the segments whose turn it is. */
  #tell(open: OpenTranscription): void {
    const segments = nextSegments(open)
    if (segments.length === 0) return
    this.#clock.time('emit', () => this.#options.emit(segments.map((event) => ({ id: open.id, event }))))
  }

  #finish(open: OpenTranscription): void {
    const { id, request, spoken } = open
    const language = spoken.most()
    const usage = consumed(request.audio.sampleCount)
    this.#stop(open)
    this.#end(open, ...(language === undefined ? [] : [{ id, event: { type: 'language', language } } as const]), {
      id,
      event: { type: 'finish', usage },
    })
  }

  #fail(open: OpenTranscription, thrown: unknown): void {
    if (open.state === 'ended') return
    this.#stop(open)
    if (!(thrown instanceof ApiError)) this.#options.log(`request failed: ${String(thrown)}`)
    const error = errorData(thrown instanceof ApiError ? thrown : notRecognized())
    this.#end(open, { id: open.id, error })
  }

  /** Stops a request: no more of it is begun. */
  #stop(open: OpenTranscription): void {
    open.state = 'ended'
    for (const remove of open.waiting.values()) remove()
    open.waiting.clear()
    open.recording?.close()
    open.recording = undefined
  }

  /** Sends the last events of a request. */
  #end(open: OpenTranscription, ...last: readonly TranscribeEvent[]): void {
    this.#clock.forget(open.id)
    if (this.#open.delete(open.id)) this.#options.emit(last)
  }
}

function samplesOf({ open, chunk }: WaitingChunk): Promise<Float32Array> {
  return readSamples(open.request.audio, chunk.start, chunk.end)
}

function consumed(sampleCount: number): Consumption {
  return { ...nothingConsumed, audioMs: audioMsOf({ sampleCount }) }
}

function notRecognized(): ApiError {
  const message = 'The model could not transcribe this recording. Nothing was charged; send the request again.'
  return new ApiError('engine', message, { code: 'engine_failed' })
}
