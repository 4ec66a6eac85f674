/** Request for speech in the engine, with its usage. */
import { charactersOf } from '../../../core/speech.ts'
import type { Voice } from '../../../core/speech-model-settings.ts'
import { type Consumption, nothingConsumed } from '../../../core/usage.ts'
import type { Work } from '../../../core/work.ts'
import type { AudioEncoder } from './audio/audio-encoder.ts'
import type { Sentence } from './text/sentences.ts'

export interface OpenSpeech {
  readonly id: number
  readonly accountId: string
  readonly request: Work<'speak'>['request']
  readonly voice: Voice
  /** Code points of the input. */
  readonly characters: number
  state: 'prepared' | 'granted' | 'ended'
  isPaused: boolean
  sentences: readonly Sentence[]
  begun: number
  /** Removes its waiting sentences from the queue. */
  leaveQueue: () => void
  running: number
  encoder: AudioEncoder | undefined
  /** Number of encoded sentences, and the samples of later ones. */
  told: number
  readonly untold: Map<number, Int16Array>
  /** True once some of it is audible. */
  hasSound: boolean
  isTelling: boolean
}

export function openSpeech(given: Pick<OpenSpeech, 'id' | 'accountId' | 'request' | 'voice'>): OpenSpeech {
  return {
    ...given,
    characters: charactersOf(given.request.input),
    state: 'prepared',
    isPaused: false,
    sentences: [],
    begun: 0,
    leaveQueue: () => undefined,
    running: 0,
    encoder: undefined,
    told: 0,
    untold: new Map(),
    hasSound: false,
    isTelling: false,
  }
}

/** Returns the input's characters in proportion to the begun sentences. */
export function charactersBegun({ characters, sentences, begun }: OpenSpeech): number {
  const lengthOf = (part: readonly Sentence[]) => part.reduce((sum, { text }) => sum + text.length, 0)
  const all = lengthOf(sentences)
  return all === 0 ? 0 : Math.round((characters * lengthOf(sentences.slice(0, begun))) / all)
}

export function consumed(characters: number): Consumption {
  return { ...nothingConsumed, characters }
}
