import { readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { parseManifest } from '../../../src/catalog/parse-manifest.ts'
import type { SherpaSetup } from './sherpa.ts'

/** Returns a shipped model, with the paths of its files by role. */
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
 * Distance from which sherpa-onnx separates two voices, chosen on tuning dialogues. There 0.6 had a slightly lower
 * error rate, and found too many speakers. Its own default 0.5 finds far too many.
 */
const sherpaThreshold = 0.8

/** Returns the starter models in sherpa-onnx's form, with another segmentation model if given. */
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
