/**
 * The life of requests for speech: paid for, cut into sentences, synthesized in turns with those of others, encoded and told in
 * order. Sentences that were begun are computed and counted also when the client disconnects.
 */
import { ApiError, errorData } from '../../../core/errors.ts'
import { findVoice, type SynthesizerSettings, type Voice } from '../../../core/speech-model-settings.ts'
import { WeightedFairQueue } from '../../../core/weighted-fair-queue.ts'
import type { Work, WorkEvent } from '../../../core/work.ts'
import type { EngineStats, RequestEvent } from '../../protocol/protocol.ts'
import { StepClock } from '../../shared/step-clock.ts'
import type { AudioEncoder } from './audio/audio-encoder.ts'
import { charactersBegun, consumed, type OpenSpeech, openSpeech } from './open-speech.ts'
import type { Speaker } from './speaker.ts'
import { prepareText } from './text/prepare-text.ts'
import type { Sentence } from './text/sentences.ts'

type SpeakEvent = RequestEvent<WorkEvent<'speak'>>

export interface SpeakLoopOptions {
  readonly speaker: Speaker
  readonly synthesizer: SynthesizerSettings
  /** Sentences that are synthesized side by side. */
  readonly lanes: number
  readonly threadsPerLane: number
  readonly emit: (events: readonly SpeakEvent[]) => void
  /** A line for the operator. */
  readonly log: (line: string) => void
}

/** Sentences of a request that may wait for its encoder, which is faster than most models. */
const unencodedSentences = 2

export class SpeakLoop {
  readonly #options: SpeakLoopOptions
  readonly #open = new Map<number, OpenSpeech>()
  /** Requests by their next sentence. */
  readonly #queue = new WeightedFairQueue<OpenSpeech>()
  readonly #clock = new StepClock()
  #lanes: number
  #running = 0
  #steps = 0
  readonly #silentVoices = new Set<string>()

  constructor(options: SpeakLoopOptions) {
    this.#options = options
    this.#lanes = options.lanes
  }

  /** Takes a request; everything about it comes through `emit`. Never throws. */
  add(id: number, accountId: string, { request }: Work<'speak'>): void {
    const voice = findVoice(this.#options.synthesizer, request.voice)
    if (voice === undefined) {
      this.#options.emit([{ id, error: errorData(unknownVoice(request.voice)) }])
      return
    }
    const open = openSpeech({ id, accountId, request, voice })
    this.#open.set(id, open)
    const all = consumed(open.characters)
    this.#options.emit([{ id, prepared: { least: all, most: all } }])
  }

  grant(id: number): void {
    const open = this.#open.get(id)
    if (open?.state !== 'prepared') return
    const { speaker } = this.#options
    open.state = 'granted'
    this.#clock.enqueue(id)
    open.sentences = prepareText(open.request.input, {
      language: open.voice.language,
      needsWords: speaker.needsWords,
      speed: open.request.speed,
    })
    open.encoder = speaker.openEncoder(open.request.format, id)
    this.#options.emit([{ id, event: { type: 'start', promptTokens: 0, cachedTokens: 0 } }])
    this.#enqueue(open)
    void this.#tell(open)
    this.#pump()
  }

  cancel(id: number): void {
    const open = this.#open.get(id)
    if (open === undefined || open.state === 'ended') return
    this.#stop(open)
    this.#endCancelled(open)
  }

  pause(id: number, isPaused: boolean): void {
    const open = this.#open.get(id)
    if (open === undefined) return
    open.isPaused = isPaused
    this.#pump()
  }

  useThreads(count: number): void {
    const { lanes, threadsPerLane } = this.#options
    this.#lanes = Math.max(1, Math.min(lanes, Math.floor(count / threadsPerLane)))
    this.#pump()
  }

  stats(): EngineStats {
    // A paused request is no work: it would look as if the engine hung.
    const all = [...this.#open.values()].filter(({ isPaused, running }) => !isPaused || running > 0)
    const running = all.filter(({ state }) => state === 'granted').length
    return {
      steps: this.#steps,
      threads: this.#lanes * this.#options.threadsPerLane,
      running,
      waiting: all.length - running,
      decodedPromptTokens: 0,
      reusedPromptTokens: 0,
      generatedTokens: 0,
      stepTimes: this.#clock.times(),
    }
  }

  /** Begins sentences while a lane is free. */
  #pump(): void {
    while (this.#running < this.#lanes) {
      const open = this.#queue.take((waiting) => this.#mayBegin(waiting))
      const sentence = open?.sentences[open.begun]
      if (open === undefined || sentence === undefined) return
      const index = open.begun++
      this.#enqueue(open)
      this.#running++
      open.running++
      void this.#synthesize(open, sentence, index).finally(() => {
        this.#running--
        this.#pump()
      })
    }
  }

  /** Accounts have equal shares of the synthesized length. A request queues one sentence at a time. */
  #enqueue(open: OpenSpeech): void {
    const { accountId, request, sentences, begun } = open
    const sentence = sentences[begun]
    if (sentence !== undefined) {
      open.leaveQueue = this.#queue.add(accountId, sentence.text.length / request.speed, open)
    }
  }

  /** Sentences that nobody has encoded yet are held in memory. */
  #mayBegin({ isPaused, begun, told, sentences }: OpenSpeech): boolean {
    return !isPaused && begun < sentences.length && begun - told < this.#options.lanes + unencodedSentences
  }

  async #synthesize(open: OpenSpeech, sentence: Sentence, index: number): Promise<void> {
    this.#steps++
    this.#clock.dequeue(open.id)
    try {
      const isLast = index === open.sentences.length - 1
      const spoken = this.#options.speaker.speak(sentence, {
        voice: open.voice,
        speed: open.request.speed,
        isLast,
        isWanted: () => open.state === 'granted',
      })
      const samples = await this.#clock.timeAsync('device', spoken)
      open.hasSound ||= samples.length > 0
      open.untold.set(index, samples)
      open.running--
    } catch (error) {
      open.running--
      return this.#fail(open, error)
    }
    if (open.state === 'ended') this.#endCancelled(open)
    else void this.#tell(open) // while the next sentence is synthesized
  }

  /** Encodes the sentences whose turn it is, and ends the request behind the last. */
  async #tell(open: OpenSpeech): Promise<void> {
    const { encoder } = open
    if (open.isTelling || encoder === undefined) return
    open.isTelling = true
    try {
      for (let next = open.untold.get(open.told); next !== undefined; next = open.untold.get(open.told)) {
        open.untold.delete(open.told)
        for await (const bytes of this.#options.speaker.encode(encoder, next)) {
          if (open.state === 'ended') return
          this.#sendAudio(open, bytes)
        }
        open.told++
        this.#pump()
      }
      open.isTelling = false
      if (open.told === open.sentences.length) this.#finish(open, encoder)
    } catch (error) {
      this.#fail(open, error)
    } finally {
      if (open.isTelling && open.state === 'ended') encoder.close()
      open.isTelling = false
    }
  }

  #finish(open: OpenSpeech, encoder: AudioEncoder): void {
    const { id, characters, sentences, hasSound, voice } = open
    if (!hasSound) this.#sendAudio(open, encoder.push(this.#options.speaker.silence()))
    if (!hasSound && sentences.length > 0) this.#noteSilence(voice)
    this.#sendAudio(open, encoder.end())
    this.#stop(open)
    this.#end(open, { id, event: { type: 'finish', usage: consumed(characters) } })
  }

  /** Logs a silent voice, once per voice: clients send any text. */
  #noteSilence({ name, language = 'none' }: Voice): void {
    if (this.#silentVoices.has(name)) return
    this.#silentVoices.add(name)
    this.#options.log(`voice "${name}" made no sound of a text: look whether the model knows its language, ${language}`)
  }

  #sendAudio({ id }: OpenSpeech, bytes: Uint8Array): void {
    if (bytes.length === 0) return
    this.#clock.time('emit', () => this.#options.emit([{ id, event: { type: 'audio', bytes } }]))
  }

  #fail(open: OpenSpeech, thrown: unknown): void {
    if (!this.#open.has(open.id)) return
    const wasCancelled = open.state === 'ended'
    this.#stop(open)
    this.#options.log(`request failed: ${String(thrown)}`)
    if (wasCancelled) this.#endCancelled(open)
    else this.#end(open, { id: open.id, error: errorData(notSpoken()) })
  }

  /** Stops a request: no more of it is begun. */
  #stop(open: OpenSpeech): void {
    open.state = 'ended'
    open.leaveQueue()
    open.untold.clear()
    // An encoder that is at work is closed when it is done.
    if (!open.isTelling) open.encoder?.close()
    open.encoder = undefined
  }

  #endCancelled(open: OpenSpeech): void {
    if (open.running === 0) this.#end(open, { id: open.id, cancelled: consumed(charactersBegun(open)) })
  }

  #end({ id }: OpenSpeech, last: SpeakEvent): void {
    this.#clock.forget(id)
    if (this.#open.delete(id)) this.#options.emit([last])
  }
}

function unknownVoice(voice: string): ApiError {
  return new ApiError('invalid_request', `The model has no voice '${voice}'.`, {
    code: 'invalid_value',
    param: 'voice',
  })
}

function notSpoken(): ApiError {
  const message = 'The model could not speak this text. Nothing was charged; send it again, or another one.'
  return new ApiError('engine', message, { code: 'engine_failed' })
}
