/**
 * Scripts of speech work. The script of a text to be spoken is the text itself. The script of a transcription is its
 * prompt, or the recording's sample bytes as JSON: `{ "transcribe": …, "diarize": … }`. Without a script, a
 * transcription contains the prompt's words, two speakers take turns, and each word of a text becomes some sound.
 */
import { readFileSync } from 'node:fs'
import {
  type AudioFile,
  audioMsOf,
  charactersOf,
  type DiarizeRequest,
  type SpeakerTurn,
  type SpokenAudio,
  type TranscribeRequest,
  type TranscriptSegment,
} from '../../core/speech.ts'
import { type Consumption, nothingConsumed } from '../../core/usage.ts'
import type { Work } from '../../core/work.ts'
import type { AheadAction, AheadPlan } from './ahead-work.ts'

type Heard = Extract<AheadPlan['script'][number], { output: unknown }>

interface FakeSpeechScript {
  /** Actions. `soundBytes` is an output of that many bytes of speech. */
  readonly script: readonly (AheadAction | Heard | { readonly soundBytes: number })[]
}

export function planSpeech(work: Work<'transcribe' | 'diarize' | 'speak'>): AheadPlan {
  const script = (readSpeechScript(work)?.script ?? defaultScript(work)).map((action) =>
    'soundBytes' in action ? { output: sound(action.soundBytes) } : action,
  )
  const outputs = script.filter((action) => 'output' in action).length
  const consumed = consumptionOf(work)
  const share = (amount: number, done: number) => Math.ceil((amount * done) / Math.max(1, outputs))
  const consumedAfter = (done: number): Consumption => ({
    ...consumed,
    audioMs: share(consumed.audioMs, done),
    characters: share(consumed.characters, done),
  })
  return { script, consumed, consumedAfter }
}

function consumptionOf({ kind, request }: Parameters<typeof planSpeech>[0]): Consumption {
  return kind === 'speak'
    ? { ...nothingConsumed, characters: charactersOf(request.input) }
    : { ...nothingConsumed, audioMs: audioMsOf(request.audio) }
}

function readSpeechScript({ kind, request }: Parameters<typeof planSpeech>[0]): FakeSpeechScript | undefined {
  const text = kind === 'speak' ? request.input : kind === 'transcribe' ? (request.prompt ?? '') : ''
  if (text.startsWith('{"script":')) return JSON.parse(text)
  return kind === 'speak' ? undefined : scriptIn(request.audio)[kind]
}

function scriptIn({ path }: AudioFile): {
  readonly transcribe?: FakeSpeechScript
  readonly diarize?: FakeSpeechScript
} {
  const text = readFileSync(path, 'utf8')
  return text.startsWith('{"') ? JSON.parse(text.replaceAll('\0', '')) : {}
}

function defaultScript(work: Parameters<typeof planSpeech>[0]): FakeSpeechScript['script'] {
  switch (work.kind) {
    case 'transcribe':
      return [
        ...segmentsOf(work.request).map((output) => ({ output })),
        { output: { type: 'language', language: work.request.language ?? 'en' } },
      ]
    case 'diarize':
      return [{ output: { type: 'turns', turns: turnsOf(work.request) } }]
    case 'speak':
      return wordsOf(work.request.input).map((word) => ({ soundBytes: bytesOfCharacter * word.length }))
  }
}

/** Bytes of 16-bit samples per character. */
const bytesOfCharacter = 320
const wordsOfSegment = 5

/** Returns the prompt's words, or one per second, evenly spread. */
function segmentsOf({ audio, prompt, wantsWords, wantsTokens }: TranscribeRequest): TranscriptSegment[] {
  const seconds = audioMsOf(audio) / 1000
  const texts =
    prompt === undefined ? Array.from({ length: Math.floor(seconds) }, (_, at) => `w${at}`) : wordsOf(prompt)
  const wordSeconds = seconds / Math.max(1, texts.length)
  const words = texts.map((text, at) => ({ text, startSeconds: at * wordSeconds, endSeconds: (at + 1) * wordSeconds }))
  return Array.from({ length: Math.ceil(words.length / wordsOfSegment) }, (_, at) => {
    const own = words.slice(at * wordsOfSegment, (at + 1) * wordsOfSegment)
    return {
      type: 'segment',
      text: own.map(({ text }) => text).join(' '),
      startSeconds: own.at(0)?.startSeconds ?? 0,
      endSeconds: own.at(-1)?.endSeconds ?? 0,
      ...(wantsWords && { words: own }),
      ...(wantsTokens && { tokens: own.map(({ text }) => ({ text: ` ${text}`, logProbability: -0.5 })) }),
    }
  })
}

const secondsOfTurn = 2.5

/** Returns turns of as many speakers as hinted, two without a hint. */
function turnsOf({
  audio,
  minimumSpeakers = 1,
  maximumSpeakers = Number.POSITIVE_INFINITY,
}: DiarizeRequest): SpeakerTurn[] {
  const seconds = audioMsOf(audio) / 1000
  const speakers = Math.max(minimumSpeakers, Math.min(2, maximumSpeakers))
  return Array.from({ length: Math.ceil(seconds / secondsOfTurn) }, (_, at) => ({
    speaker: at % speakers,
    startSeconds: at * secondsOfTurn,
    endSeconds: Math.min((at + 1) * secondsOfTurn, seconds),
  }))
}

function sound(length: number): SpokenAudio {
  return { type: 'audio', bytes: Uint8Array.from({ length }, (_, at) => at % 251) }
}

function wordsOf(text: string): string[] {
  return text.match(/\S+/g) ?? []
}
