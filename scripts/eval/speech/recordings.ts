import { readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { audioSampleRateHz } from '../../../src/core/speech.ts'
import { Dice, heldOutVoice, makeDialogue, seeds } from './dialogue.ts'
import type { EspeakVoice, SpokenSentence } from './espeak.ts'
import type { HeldOut } from './held-out.ts'
import type { TimedWord } from './timed-words.ts'
import { type LabelledTurn, readRttm, readUem, type Span } from './turns.ts'
import { toPcm, wavFile } from './wav.ts'

/** Audio file with known content. */
export interface Recording {
  readonly name: string
  /** Audio file of any kind that the server reads. */
  readonly file: Uint8Array<ArrayBuffer>
  readonly lengthSeconds: number
  /** Words with their times. Empty if unknown. */
  readonly words: readonly TimedWord[]
  readonly turns: readonly LabelledTurn[]
  /** Spans in which turns are scored. */
  readonly scored: readonly Span[]
}

type Speak = (text: string, voice: EspeakVoice) => SpokenSentence

/** Returns recordings of the first held-out sentences, one in each, in held-out voices in turn. */
export function sentenceRecordings(speak: Speak, heldOut: HeldOut, count: number): Recording[] {
  const dice = new Dice(seeds.test)
  return heldOut.sentences.slice(0, count).map((sentence, index) => {
    const { samples, words } = speak(sentence, heldOutVoice(dice, dice.pick(heldOut.variants)))
    const told = words.map((word) => ({ ...word, speaker: '' }))
    return recordingOf({ name: `sentence ${index}`, samples, words: told, turns: [] })
  })
}

/** Returns dialogues of two and three speakers in turn. */
export function dialogueRecordings(speak: Speak, heldOut: HeldOut, firstSeed: number, count: number): Recording[] {
  return Array.from({ length: count }, (_, index) => {
    const dialogue = makeDialogue(speak, heldOut, { seed: firstSeed + index, speakerCount: 2 + (index % 2) })
    return recordingOf({ name: `dialogue ${firstSeed + index}`, ...dialogue })
  })
}

/** Returns one dialogue of three speakers. */
export function longRecording(speak: Speak, heldOut: HeldOut, lengthSeconds: number): Recording {
  const dialogue = makeDialogue(speak, heldOut, { seed: seeds.test, speakerCount: 3, lengthSeconds })
  return recordingOf({ name: `${lengthSeconds} s`, ...dialogue })
}

interface Known {
  readonly name: string
  readonly samples: Float32Array
  readonly words: readonly TimedWord[]
  readonly turns: readonly LabelledTurn[]
}

function recordingOf({ samples, ...known }: Known): Recording {
  const lengthSeconds = samples.length / audioSampleRateHz
  const scored = [{ startSeconds: 0, endSeconds: lengthSeconds }]
  return { ...known, lengthSeconds, scored, file: wavFile(toPcm(samples), audioSampleRateHz) }
}

/**
 * Returns all recordings `<name>.wav` below a folder that have a file with their turns in RTTM beside them. Scores the
 * spans of a file in UEM, or without one from the first turn to the last.
 */
export function realRecordings(folder: string): Recording[] {
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((path) => join(folder, path))
  const files = new Set(paths)
  const scored = new Map(paths.filter(hasEnding('.uem')).flatMap((path) => besides(path, readUem(readText(path)))))
  return paths.filter(hasEnding('.rttm')).flatMap((path) =>
    besides(path, readRttm(readText(path))).flatMap(([wav, turns]) => {
      if (!files.has(wav)) return []
      const lengthSeconds = Math.max(...turns.map(({ endSeconds }) => endSeconds))
      const spans = scored.get(wav) ?? [{ startSeconds: 0, endSeconds: lengthSeconds }]
      const name = basename(wav, '.wav')
      return [{ name, file: new Uint8Array(readFileSync(wav)), lengthSeconds, words: [], turns, scored: spans }]
    }),
  )
}

function hasEnding(ending: string): (path: string) => boolean {
  return (path) => path.endsWith(ending)
}

function readText(path: string): string {
  return readFileSync(path, 'utf8')
}

/** Returns the values of the recordings whose WAV files lie beside `path`. */
function besides<Value>(path: string, byName: ReadonlyMap<string, Value>): [string, Value][] {
  return [...byName].map(([name, value]) => [join(dirname(path), `${name}.wav`), value])
}
