/** The speech engine's settings. Device `vulkan`, which ONNX Runtime lacks, means the CPU. */
import type { Values } from '../../core/setting.ts'
import { sharedSettings } from '../shared/shared-settings.ts'

export const speechSettings = {
  parallel: sharedSettings.parallel,
  'max-waiting': sharedSettings['max-waiting'],
  threads: sharedSettings.threads,
  device: sharedSettings.device,
  'keep-alive': sharedSettings['keep-alive'],
}

export type SpeechSettings = Values<typeof speechSettings>
