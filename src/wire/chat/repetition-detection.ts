import { Type } from '@sinclair/typebox'
import type { ChatRequest } from '../../core/chat.ts'
import { isObject } from '../../core/json.ts'
import { check, invalidValue, optionalAny, optionalInteger, presentFields } from '../check.ts'

const path = 'repetition_detection'
const words = 'true, false or an object with "max_pattern_size" and "min_count"'

/** Longest pattern in tokens. Each length up to it is compared at every token. */
const maxPatternSize = 1_024
const maxTokenCount = 1_000_000

/** Field of every dialect's body, spelled as in vLLM. */
export const repetitionField = { [path]: optionalAny } as const

const Detection = Type.Object({
  max_pattern_size: optionalInteger(0, maxPatternSize),
  min_pattern_size: optionalInteger(0, maxPatternSize),
  min_count: optionalInteger(0, maxTokenCount),
})

/**
 * Returns the field's setting: on, off, or vLLM's limits, where a longest pattern of 0 is off too. Undefined if not
 * sent. Throws ApiError 400.
 */
export function parseRepetitionDetection(value: unknown): ChatRequest['repetitionLimit'] {
  if (value === undefined) return undefined
  if (typeof value === 'boolean') return value ? 'usual' : 'none'
  if (!isObject(value)) throw invalidValue(path, words)
  const fields = check(Detection, presentFields(value, path), path)
  const { max_pattern_size: maxPieceTokens = 0, min_pattern_size: least = 0, min_count: minCount = 0 } = fields
  if (maxPieceTokens === 0) return 'none'
  const minPieceTokens = Math.max(1, least)
  if (minPieceTokens > maxPieceTokens) throw invalidValue(`${path}.min_pattern_size`, 'at most max_pattern_size')
  if (minCount < 2) throw invalidValue(`${path}.min_count`, 'at least 2')
  return { minPieceTokens, maxPieceTokens, minCount, minTokens: 0 }
}
