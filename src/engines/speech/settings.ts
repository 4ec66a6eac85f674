/** The speech engine's settings. */
import type { Values } from '../../core/setting.ts'
import { sharedSettings } from '../shared-settings.ts'

export const speechSettings = {
  parallel: sharedSettings.parallel,
  'max-waiting': sharedSettings['max-waiting'],
  threads: sharedSettings.threads,
  'keep-alive': sharedSettings['keep-alive'],
}

export type SpeechSettings = Values<typeof speechSettings>
