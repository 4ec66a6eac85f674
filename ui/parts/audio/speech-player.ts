import { RequestFailure } from '../../api/failure.ts'
import { respond } from '../../api/request.ts'
import { texts } from '../../texts/texts.ts'
import { type AudioFormat, isPlayable, playableBlob, streamedType } from './audio-format.ts'
import { GrowingAudio, showWhole } from './growing-audio.ts'

export interface SpeechRequest {
  readonly model: string
  readonly input: string
  readonly voice: string
  readonly response_format: AudioFormat
  readonly speed?: number
}

/** Audio of a request so far */
export interface Speech {
  readonly body: SpeechRequest
  readonly requestId: string
  readonly firstByteMs: number
  readonly bytes: number
  /** Whole file, once all of it has arrived */
  readonly whole?: { readonly file: Blob; readonly madeInMs: number }
}

interface SpeakOptions {
  /** Stops the request and the audio. */
  readonly signal: AbortSignal
  /** Called with each piece that arrives. */
  readonly onSpeech?: (speech: Speech) => void
}

/** Speaks texts in one audio element. They play while they arrive or, if the browser needs a whole file, at their end. */
export class SpeechPlayer {
  readonly #element: HTMLAudioElement
  #growing: GrowingAudio | undefined
  #shownUrl = ''

  constructor(element: HTMLAudioElement) {
    this.#element = element
  }

  /** Resolves once all of the audio has arrived, which may still play. Rejects with RequestFailure. */
  async speak(body: SpeechRequest, { signal, onSpeech = () => undefined }: SpeakOptions): Promise<Speech> {
    const startedMs = performance.now()
    const format = body.response_format
    this.#element.pause()
    signal.addEventListener('abort', () => this.#element.pause())
    const response = await respond('/dashboard/v1/audio/speech', { method: 'POST', body, signal })
    let speech: Speech = {
      body,
      requestId: response.headers.get('x-request-id') ?? '',
      firstByteMs: performance.now() - startedMs,
      bytes: 0,
    }
    const type = streamedType(format)
    this.#growing?.close()
    this.#growing = type === undefined ? undefined : new GrowingAudio(this.#element, type)
    const pieces: Uint8Array<ArrayBuffer>[] = []
    try {
      for await (const piece of response.body ?? []) {
        pieces.push(piece)
        this.#growing?.push(piece)
        speech = { ...speech, bytes: speech.bytes + piece.length }
        if (!signal.aborted) onSpeech(speech)
      }
    } catch {
      // Audio that has begun cannot carry an error message of the server.
      throw brokenOff(speech.requestId)
    }
    const playable = playableBlob(format, pieces, speech.bytes)
    if (this.#growing !== undefined) this.#growing.end(playable)
    else if (isPlayable(format)) this.#shownUrl = showWhole(this.#element, playable)
    return { ...speech, whole: { file: new Blob(pieces), madeInMs: performance.now() - startedMs } }
  }

  /** Frees the audio's memory. */
  close(): void {
    this.#growing?.close()
    URL.revokeObjectURL(this.#shownUrl)
  }
}

function brokenOff(requestId: string): RequestFailure {
  return new RequestFailure(texts.speak.brokeOff, {
    status: 0,
    code: 'broke_off',
    param: undefined,
    requestId,
    retryAfterSeconds: undefined,
  })
}
