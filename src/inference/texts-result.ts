import { ApiError } from '../core/errors.ts'
import type { Scores, Vectors } from '../core/texts.ts'
import type { Work } from '../core/work.ts'

/**
 * Throws ApiError `engine_failed` where a number is none that JSON could say: some models compute such with reduced
 * precision, and it is not to be paid for. Too few or too many numbers are a bug.
 */
export function requireComplete(work: Work<'embed' | 'rerank'>, result: Vectors | Scores): void {
  const { values } = result
  if (values.length !== expectedNumbers(work, result)) {
    throw new Error(`an engine returned ${values.length} numbers: this is a bug`)
  }
  if (values.every(Number.isFinite)) return
  throw new ApiError(
    'engine',
    'The model computed something for these texts that is not a number. Its operator may have to use another precision.',
    { code: 'engine_failed' },
  )
}

function expectedNumbers({ kind, request }: Work<'embed' | 'rerank'>, result: Vectors | Scores): number | undefined {
  if (kind === 'rerank') return result.type === 'scores' ? request.documents.length : undefined
  return result.type === 'vectors' ? request.inputs.length * result.dimensions : undefined
}
