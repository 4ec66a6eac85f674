import { ApiError } from '../core/errors.ts'
import type { InstalledModel, ModelManifest } from '../core/model.ts'
import { diarizerId } from '../core/model-counts.ts'

/** Tells whether a model labels speakers. */
export function diarizes({ type, capabilities }: Pick<ModelManifest, 'type' | 'capabilities'>): boolean {
  return type === 'stt' && capabilities.diarization === true
}

/**
 * Returns the speaker-labelling part of a transcription model as a separate model: engines are loaded, and get
 * memory, per model, and most transcriptions do not need this part. Throws ApiError 400 `diarization_unsupported` for
 * a model without it.
 */
export function diarizerOf({ manifest, filePaths, filesVersion }: InstalledModel): InstalledModel {
  requireDiarization(manifest)
  const roles = ['segmentation', 'speaker-embedding']
  return {
    manifest: {
      id: diarizerId(manifest.id),
      type: manifest.type,
      engine: manifest.engine === 'speech' ? 'diarization' : manifest.engine,
      aliases: [],
      files: manifest.files.filter(({ role }) => roles.includes(role)),
      capabilities: {},
      diarizer: manifest.diarizer,
      settings: manifest.settings,
      defaults: {},
    },
    filePaths: Object.fromEntries(Object.entries(filePaths).filter(([role]) => roles.includes(role))),
    filesVersion,
  }
}

/**
 * Throws ApiError 400 `diarization_unsupported` for a model that does not label speakers. `param`: the field that
 * requests them.
 */
export function requireDiarization(manifest: ModelManifest, param = 'diarize'): void {
  if (diarizes(manifest)) return
  throw new ApiError(
    'invalid_request',
    `Model '${manifest.id}' does not label speakers. Use one that does: GET /models shows 'diarization' among its capabilities.`,
    { code: 'diarization_unsupported', param },
  )
}
