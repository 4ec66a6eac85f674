/** A request for speech in the engine, and what it comes to. */
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
  /** No sentence of it waits from then on. */
  leaveQueue: () => void
  running: number
  encoder: AudioEncoder | undefined
  /** Sentences that were encoded, and of later ones their samples. */
  told: number
  readonly untold: Map<number, Int16Array>
  /** Something is heard of it. */
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

/** Of the input, as much as the sentences that were begun are of all. */
export function charactersBegun({ characters, sentences, begun }: OpenSpeech): number {
  const lengthOf = (part: readonly Sentence[]) => part.reduce((sum, { text }) => sum + text.length, 0)
  const all = lengthOf(sentences)
  return all === 0 ? 0 : Math.round((characters * lengthOf(sentences.slice(0, begun))) / all)
}

export function consumed(characters: number): Consumption {
  return { ...nothingConsumed, characters }
}
