/** The speech engine: one model of sherpa-onnx that transcribes or speaks. */
import type { LoadEngine } from '../protocol/engine.ts'
import type { SpeechSettings } from './settings.ts'

/** Loads the model. Imports only the code for its kind. */
export const loadSpeechEngine: LoadEngine<'transcribe' | 'speak', SpeechSettings> = async (setup) => {
  if (setup.model.manifest.type === 'tts') return (await import('./speak/load-speaker.ts')).loadSpeaker(setup)
  return (await import('./transcribe/load-transcriber.ts')).loadTranscriber(setup)
}
