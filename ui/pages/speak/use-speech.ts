import { useEffect, useRef, useState } from 'preact/hooks'
import { tell } from '../../parts/announce.tsx'
import { type Speech, SpeechPlayer, type SpeechRequest } from '../../parts/audio/speech-player.ts'
import { type Call, useCall } from '../../parts/play/use-call.ts'
import { durationText } from '../../parts/time-text.ts'
import { texts } from '../../texts/texts.ts'

interface SpeechCall {
  readonly call: Call<Speech>
  /** Length of the audio in seconds. Undefined until the browser knows it. */
  readonly durationSeconds: number | undefined
  /** Sets the element that plays. */
  readonly attach: (element: HTMLAudioElement | null) => void
  readonly speak: (body: SpeechRequest) => Promise<void>
}

/** Speaks texts, and shows each one as it arrives. */
export function useSpeech(): SpeechCall {
  const call = useCall<Speech>()
  const [durationSeconds, setDuration] = useState<number>()
  const player = useRef<SpeechPlayer | undefined>(undefined)
  useEffect(() => () => player.current?.close(), [])

  const attach = (element: HTMLAudioElement | null) => {
    if (element === null) return
    player.current ??= new SpeechPlayer(element)
    element.ondurationchange = () => setDuration(Number.isFinite(element.duration) ? element.duration : undefined)
  }

  const speak = (body: SpeechRequest) => {
    setDuration(undefined)
    return call.start(async (signal) => {
      if (player.current === undefined) throw new Error('there is no audio element: this is a bug')
      const speech = await player.current.speak(body, { signal, onSpeech: call.show })
      tell(texts.speak.done(durationText(speech.whole?.madeInMs ?? 0)))
      return speech
    })
  }

  return { call, durationSeconds, attach, speak }
}
