/** The diarization engine's settings. */
import type { Values } from '../../core/setting.ts'
import { sharedSettings } from '../shared/shared-settings.ts'

export const diarizationSettings = {
  parallel: sharedSettings.parallel,
  'max-waiting': sharedSettings['max-waiting'],
  threads: sharedSettings.threads,
  device: sharedSettings.device,
  'keep-alive': sharedSettings['keep-alive'],
}

export type DiarizationSettings = Values<typeof diarizationSettings>

/**
 * Threads per window. The frames of a window depend on each other, so further threads are better spent on other
 * windows.
 */
export const threadsPerWindow = 1

/** Most windows or voices that a GPU computes together. A single window uses little of it. */
export const rowsTogetherLimit = 64
