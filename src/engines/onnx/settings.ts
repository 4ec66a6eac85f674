/** The onnx engine's settings. Device `vulkan`, which ONNX Runtime lacks, means the CPU. */
import type { Values } from '../../core/setting.ts'
import { sharedSettings } from '../shared/shared-settings.ts'

export const onnxSettings = {
  threads: sharedSettings.threads,
  device: sharedSettings.device,
  'keep-alive': sharedSettings['keep-alive'],
}

/**
 * Threads per text on a CPU. Two threads compute one text almost twice as fast as one; further threads are better
 * spent on other texts.
 */
export const threadsPerText = 2

export type OnnxSettings = Values<typeof onnxSettings>
