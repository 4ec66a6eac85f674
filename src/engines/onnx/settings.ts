/** The onnx engine's settings. On device `vulkan`, which ONNX Runtime does not have, it runs on the CPU. */
import type { Values } from '../../core/setting.ts'
import { sharedSettings } from '../shared/shared-settings.ts'

export const onnxSettings = {
  threads: sharedSettings.threads,
  device: sharedSettings.device,
  'keep-alive': sharedSettings['keep-alive'],
}

/** Two threads compute one text almost twice as fast as one. Further threads are better spent on another text. */
export const threadsPerText = 2

export type OnnxSettings = Values<typeof onnxSettings>
