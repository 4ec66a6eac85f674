import { useEffect, useRef, useState } from 'preact/hooks'
import { RequestFailure } from '../../api/failure.ts'
import { respond } from '../../api/request.ts'
import { tell } from '../../parts/announce.tsx'
import { type Call, useCall } from '../../parts/play/use-call.ts'
import { durationText } from '../../parts/time-text.ts'
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

/** Audio of a request so far. */
export interface Speech {
  readonly body: SpeechRequest
  readonly requestId: string
  readonly firstByteMs: number
  readonly bytes: number
  /** Whole file, once all of it has arrived */
  readonly whole?: { readonly file: Blob; readonly madeInMs: number }
}

interface SpeechCall {
  readonly call: Call<Speech>
  /** Length of the audio in seconds. Undefined until the browser knows it. */
  readonly durationSeconds: number | undefined
  /** Sets the element that plays. */
  readonly attach: (element: HTMLAudioElement | null) => void
  readonly speak: (body: SpeechRequest) => Promise<void>
}

/** Speaks texts. They play while they arrive or, if the browser needs a whole file, at their end. */
export function useSpeech(): SpeechCall {
  const call = useCall<Speech>()
  const [durationSeconds, setDuration] = useState<number>()
  const element = useRef<HTMLAudioElement | null>(null)
  const growing = useRef<GrowingAudio | undefined>(undefined)
  const shownUrl = useRef('')
  useEffect(
    () => () => {
      growing.current?.close()
      URL.revokeObjectURL(shownUrl.current)
    },
    [],
  )

  const attach = (attached: HTMLAudioElement | null) => {
    element.current = attached
    if (attached === null) return
    attached.ondurationchange = () => setDuration(Number.isFinite(attached.duration) ? attached.duration : undefined)
  }

  const speak = (body: SpeechRequest) => {
    setDuration(undefined)
    return call.start(async (signal) => {
      const startedMs = performance.now()
      const format = body.response_format
      element.current?.pause()
      signal.addEventListener('abort', () => element.current?.pause())
      const response = await respond('/dashboard/v1/audio/speech', { method: 'POST', body, signal })
      let speech: Speech = {
        body,
        requestId: response.headers.get('x-request-id') ?? '',
        firstByteMs: performance.now() - startedMs,
        bytes: 0,
      }
      const type = streamedType(format)
      growing.current?.close()
      growing.current = undefined
      if (type !== undefined && element.current !== null) growing.current = new GrowingAudio(element.current, type)
      const pieces: Uint8Array<ArrayBuffer>[] = []
      try {
        for await (const piece of response.body ?? []) {
          pieces.push(piece)
          growing.current?.push(piece)
          speech = { ...speech, bytes: speech.bytes + piece.length }
          if (!signal.aborted) call.show(speech)
        }
      } catch {
        // Audio that has begun cannot carry an error message of the server.
        throw brokenOff(speech.requestId)
      }
      const playable = playableBlob(format, pieces, speech.bytes)
      if (growing.current !== undefined) growing.current.end(playable)
      else if (element.current !== null && isPlayable(format)) shownUrl.current = showWhole(element.current, playable)
      tell(texts.speak.done(durationText(performance.now() - startedMs)))
      return { ...speech, whole: { file: new Blob(pieces), madeInMs: performance.now() - startedMs } }
    })
  }

  return { call, durationSeconds, attach, speak }
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
