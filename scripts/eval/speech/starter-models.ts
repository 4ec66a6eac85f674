import { readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { parseManifest } from '../../../src/catalog/parse-manifest.ts'
import type { SherpaSetup } from './sherpa.ts'

/** A shipped model, with the paths of its files by role. */
function shippedModel(file: string) {
  const path = join(import.meta.dir, '../../../models', file)
  const { id, files, diarizer } = parseManifest(file, Bun.TOML.parse(readFileSync(path, 'utf8')))
  const paths = files.map(({ role, path: below = '' }) => [role, resolve(dirname(path), below)])
  return { id, diarizer, files: Object.fromEntries(paths) as Readonly<Record<string, string>> }
}

export const starterModels = {
  transcriber: shippedModel('stt/starter-stt.toml'),
  synthesizer: shippedModel('tts/starter-tts.toml'),
}

/**
 * Distance from which on sherpa-onnx takes two voices for two speakers: chosen on tuning dialogues, where 0.6 had a slightly
 * lower error rate and found more speakers than there are. Its own 0.5 finds far too many.
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
