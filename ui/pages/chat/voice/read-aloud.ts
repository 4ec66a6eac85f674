import { asFailure } from '../../../api/failure.ts'
import { refreshMe, status } from '../../../api/session.ts'
import { alarm, announce } from '../../../parts/announce.tsx'
import { SpeechPlayer } from '../../../parts/audio/speech-player.ts'
import { texts } from '../../../texts/texts.ts'
import { reading } from './reading.ts'
import { spokenText } from './spoken-text.ts'

interface ReadAloud {
  readonly of: object
  /** Id of the speech model */
  readonly model: string
  /** Answer as markdown */
  readonly text: string
}

/** A name that every speech model has. */
const voice = 'alloy'

/** Reads an answer aloud, from its first words on. Ends what was read before. Resolves at the end of the audio. */
export async function readAloud({ of, model, text }: ReadAloud): Promise<void> {
  reading.value?.stop()
  const own = new AbortController()
  const element = new Audio()
  const player = new SpeechPlayer(element)
  const mine = { of, stop: () => own.abort() }
  const input = shortened(spokenText(text))
  if (input === '') return alarm(texts.voice.nothingToRead)
  reading.value = mine
  try {
    const { signal } = own
    await player.speak({ model, input, voice, response_format: 'mp3' }, { signal })
    await ended(element, signal)
  } catch (error) {
    if (!own.signal.aborted) alarm(asFailure(error).message)
  }
  player.close()
  if (reading.peek() === mine) reading.value = undefined
  void refreshMe()
}

/** Returns the part of a text that one request may have. */
function shortened(text: string): string {
  const limit = status.value?.limits?.speech_chars ?? 20_000
  const characters = [...text]
  if (characters.length <= limit) return text
  announce(texts.voice.cutAt(limit))
  return characters.slice(0, limit).join('')
}

/** Resolves at the end of the audio, when the signal stops it, or when the browser has paused it. */
function ended(element: HTMLAudioElement, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (element.ended || signal.aborted) return resolve()
    for (const name of ['ended', 'error']) element.addEventListener(name, () => resolve(), { once: true })
    signal.addEventListener('abort', () => resolve(), { once: true })
  })
}
