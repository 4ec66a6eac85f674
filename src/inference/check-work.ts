import type { ModelManifest } from '../core/model.ts'
import type { Work } from '../core/work.ts'
import { requireTranscribable, requireVoice } from './check-speech.ts'
import { requireEmbeddable } from './check-texts.ts'

/**
 * Throws ApiError 400 for what the manifest alone tells that the model cannot do. Engines know the rest. Of a transcription
 * everything but the recording is looked at.
 */
export function requirePossible({ kind, request }: Work, manifest: ModelManifest): void {
  if (kind === 'embed') requireEmbeddable(request, manifest)
  if (kind === 'transcribe') requireTranscribable(request, manifest)
  if (kind === 'speak') requireVoice(request, manifest)
}
