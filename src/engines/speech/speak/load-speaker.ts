import type { LoadEngine } from '../../engine.ts'
import type { SpeechSettings } from '../settings.ts'

export const loadSpeaker: LoadEngine<'speak', SpeechSettings> = async ({ model }) => {
  throw new Error(`this version cannot speak with ${model.manifest.id}`)
}
