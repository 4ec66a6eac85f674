/** Checks of work before it reaches an engine, and of the numbers for texts before they are charged. */
import { ApiError } from '../core/errors.ts'
import type { ModelManifest } from '../core/model.ts'
import type { EmbedRequest, Scores, Vectors } from '../core/texts.ts'
import type { Work } from '../core/work.ts'
import { requireTranscribable, requireVoice } from './check-speech.ts'

/**
 * Throws ApiError 400 if the manifest alone shows that the model cannot do the work. Engines check the rest. A
 * transcription's recording is not needed.
 */
export function requirePossible({ kind, request }: Work, manifest: ModelManifest): void {
  if (kind === 'embed') requireEmbeddable(request, manifest)
  if (kind === 'transcribe') requireTranscribable(request, manifest)
  if (kind === 'speak') requireVoice(request, manifest)
}

/** Throws ApiError 400 for more dimensions than the model has, and for token arrays that are too long. */
function requireEmbeddable(request: EmbedRequest, manifest: ModelManifest): void {
  requireDimensions(request, manifest)
  requireShortTokenArrays(request, manifest)
}

function requireDimensions({ dimensions }: EmbedRequest, manifest: ModelManifest): void {
  const native = manifest.dimensions
  if (dimensions === undefined || native === undefined || dimensions <= native) return
  const message = `'dimensions' must be at most ${native}: the vectors of model '${manifest.id}' have no more.`
  throw new ApiError('invalid_request', message, { code: 'invalid_value', param: 'dimensions' })
}

/**
 * Throws for token arrays that are too long. A body has room for millions of token ids; handing them to an engine that
 * refuses them takes long.
 */
function requireShortTokenArrays({ inputs, truncate }: EmbedRequest, { id, contextLength }: ModelManifest): void {
  if (contextLength === undefined || truncate !== undefined) return
  for (const [index, input] of inputs.entries()) {
    if (typeof input === 'string' || input.length <= contextLength) continue
    const message = `'input[${index}]' has ${input.length} tokens and model '${id}' takes ${contextLength}. Split it.`
    throw new ApiError('invalid_request', message, {
      code: 'context_length_exceeded',
      param: `input[${index}]`,
      length: { promptTokens: input.length, limitTokens: contextLength },
    })
  }
}

/**
 * Throws ApiError `engine_failed` if a number is not finite, as some models produce at reduced precision: it is not
 * charged. A missing result and a wrong count of numbers are bugs.
 */
export function requireComplete({ kind, request }: Work, result: Vectors | Scores | undefined): void {
  if (kind !== 'embed' && kind !== 'rerank') return
  let expected: number | undefined
  if (kind === 'embed' && result?.type === 'vectors') expected = request.inputs.length * result.dimensions
  if (kind === 'rerank' && result?.type === 'scores') expected = request.documents.length
  const values = result?.values ?? new Float32Array()
  if (values.length !== expected) throw new Error(`an engine returned ${values.length} numbers: this is a bug`)
  if (values.every(Number.isFinite)) return
  throw new ApiError(
    'engine',
    'The model computed something for these texts that is not a number. Its operator may have to use another precision.',
    { code: 'engine_failed' },
  )
}
