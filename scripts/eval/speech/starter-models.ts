import { readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import type { SherpaSetup } from './sherpa.ts'

/** Paths of a shipped manifest's files, by role. */
function filesOf(manifest: string): Readonly<Record<string, string>> {
  const path = join(import.meta.dir, '../../../models', manifest)
  const { files } = Bun.TOML.parse(readFileSync(path, 'utf8')) as { files: { role: string; path: string }[] }
  return Object.fromEntries(files.map((file) => [file.role, resolve(dirname(path), file.path)]))
}

export const starterModels = {
  transcriber: { id: 'inferd/starter-stt', files: filesOf('stt/starter-stt.toml') },
  synthesizer: { id: 'inferd/starter-tts', files: filesOf('tts/starter-tts.toml') },
} as const

/**
 * Distance from which on sherpa-onnx takes two voices for two speakers: with the starter models the best on tuning
 * dialogues. Its own 0.5 finds far too many.
 */
const sherpaThreshold = 0.8

/** The starter models, or another one for the segmentation, as sherpa-onnx takes them. */
export function starterSetup(threads: number, segmentation?: string): SherpaSetup {
  const { transcriber, synthesizer } = starterModels
  const { model = '', tokens = '', vad = '' } = transcriber.files
  return {
    threads,
    transcriber: { model, tokens, vad },
    synthesizer: { model: synthesizer.files.model ?? '', tokens: synthesizer.files.tokens ?? '' },
    diarizer: {
      segmentation: segmentation ?? transcriber.files.segmentation ?? '',
      embedding: transcriber.files['speaker-embedding'] ?? '',
      threshold: sherpaThreshold,
    },
  }
}
