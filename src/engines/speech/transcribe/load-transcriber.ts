import type { LoadEngine } from '../../engine.ts'
import type { SpeechSettings } from '../settings.ts'

export const loadTranscriber: LoadEngine<'transcribe', SpeechSettings> = async ({ model }) => {
  throw new Error(`this version cannot transcribe with ${model.manifest.id}`)
}
