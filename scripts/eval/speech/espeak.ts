import { dlopen, FFIType, JSCallback, type Pointer, ptr, read, toArrayBuffer } from 'bun:ffi'
import { audioSampleRateHz } from '../../../src/core/speech.ts'
import { resample } from './resample.ts'
import type { Span } from './turns.ts'

export interface EspeakVoice {
  /** Name of the voice's file: `gmw/en-US+m5`. */
  readonly name: string
  readonly wordsPerMinute: number
  /** 0 to 99. */
  readonly pitch: number
}

/** Sentence without silence around it. */
export interface SpokenSentence {
  /** One channel of `audioSampleRateHz`. */
  readonly samples: Float32Array
  /** Words with espeak-ng's starts. Each lasts until the next one. */
  readonly words: readonly (Span & { readonly text: string })[]
}

const { i32, u32, u64, cstring, pointer } = FFIType
const library = 'libespeak-ng.so.1'
const functions = {
  espeak_Initialize: { args: [i32, i32, pointer, i32], returns: i32 },
  espeak_SetSynthCallback: { args: [FFIType.function], returns: FFIType.void },
  espeak_SetVoiceByName: { args: [cstring], returns: i32 },
  espeak_SetParameter: { args: [i32, i32, i32], returns: i32 },
  espeak_Synth: { args: [pointer, u64, u32, i32, u32, u32, pointer, pointer], returns: i32 },
} as const

// Constants of speak_lib.h: output mode, parameters, character coding, and the layout of an event.
const synchronous = 2
const parameters = { wordsPerMinute: 1, pitch: 3 }
const utf8 = 1
const event = { bytes: 40, position: 8, characters: 12, milliseconds: 16, end: 0, word: 1 }

/** Amplitude above which samples count as sound. espeak-ng's own silence is exactly 0. */
const silence = 0.002

/**
 * Returns the synthesizer espeak-ng in this process. Call it once per process. Throws if its library is not installed.
 */
export function openEspeak(): (text: string, voice: EspeakVoice) => SpokenSentence {
  const { symbols } = loadLibrary()
  const sampleRateHz = symbols.espeak_Initialize(synchronous, 0, null, 0)
  if (sampleRateHz <= 0) throw new Error('espeak-ng does not start: is its data installed (package espeak-ng-data)?')
  let pieces: Int16Array[] = []
  let starts: { at: number; seconds: number }[] = []
  const receive = new JSCallback(
    (samples: Pointer | null, count: number, events: Pointer) => {
      if (samples !== null && count > 0) pieces.push(new Int16Array(toArrayBuffer(samples, 0, count * 2)).slice())
      for (let offset = 0; read.i32(events, offset) !== event.end; offset += event.bytes) {
        if (read.i32(events, offset) !== event.word) continue
        const at = read.i32(events, offset + event.position) - 1 // it counts from 1
        starts.push({ at, seconds: read.i32(events, offset + event.milliseconds) / 1000 })
      }
      return 0
    },
    { args: [pointer, i32, pointer], returns: i32 },
  )
  symbols.espeak_SetSynthCallback(receive)
  return (text, { name, ...settings }) => {
    if (symbols.espeak_SetVoiceByName(terminated(name)) !== 0) throw new Error(`espeak-ng has no voice ${name}`)
    for (const [setting, number] of Object.entries(parameters)) {
      symbols.espeak_SetParameter(number, settings[setting as keyof typeof parameters], 0)
    }
    pieces = []
    starts = []
    const bytes = terminated(text)
    symbols.espeak_Synth(ptr(bytes), bytes.length, 0, 1, 0, utf8, null, null)
    const samples = resample(joined(pieces), sampleRateHz, audioSampleRateHz)
    return trimmed(samples, text, starts)
  }
}

function loadLibrary() {
  try {
    return dlopen(library, functions)
  } catch (cause) {
    throw new Error(`${library} is not there. Install espeak-ng (Debian: apt-get install espeak-ng).`, { cause })
  }
}

function terminated(text: string): Buffer {
  return Buffer.from(`${text}\0`)
}

function joined(pieces: readonly Int16Array[]): Float32Array {
  const result = new Float32Array(pieces.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const piece of pieces) for (const sample of piece) result[at++] = sample / 32_768
  return result
}

function trimmed(
  samples: Float32Array,
  text: string,
  starts: readonly { readonly at: number; readonly seconds: number }[],
): SpokenSentence {
  const isLoud = (sample: number) => Math.abs(sample) > silence
  const [begin, end] = [Math.max(0, samples.findIndex(isLoud)), samples.findLastIndex(isLoud) + 1]
  const lastSeconds = (end - begin) / audioSampleRateHz
  const inside = (seconds: number) => Math.min(lastSeconds, Math.max(0, seconds - begin / audioSampleRateHz))
  const words = starts.map(({ at, seconds }, index) => {
    const next = starts[index + 1]
    return {
      text: text.slice(at, next?.at).trim(),
      startSeconds: inside(seconds),
      endSeconds: next === undefined ? lastSeconds : inside(next.seconds),
    }
  })
  return { samples: samples.slice(begin, end), words }
}
