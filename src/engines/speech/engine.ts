/** The speech engine: one model of sherpa-onnx that transcribes or speaks. */
import type { LoadEngine } from '../engine.ts'
import type { SpeechSettings } from './settings.ts'
import { loadSpeaker } from './speak/load-speaker.ts'
import { loadTranscriber } from './transcribe/load-transcriber.ts'

export const loadSpeechEngine: LoadEngine<'transcribe' | 'speak', SpeechSettings> = (setup) =>
  setup.model.manifest.type === 'tts' ? loadSpeaker(setup) : loadTranscriber(setup)
