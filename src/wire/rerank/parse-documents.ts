import { isObject, type JsonObject } from '../../core/json.ts'
import { invalidValue } from '../check.ts'
import { requireDocumentCount } from '../text-counts.ts'

export type RerankDocument = string | JsonObject

/** Parses the documents, of which some may be empty. Throws ApiError 400. */
export function parseDocuments(documents: unknown): readonly RerankDocument[] {
  if (!Array.isArray(documents)) throw invalidValue('documents', 'an array of texts or objects')
  if (documents.length === 0) throw invalidValue('documents', 'an array of at least 1 document')
  requireDocumentCount(documents.length)
  const wrong = documents.findIndex((document) => typeof document !== 'string' && !isObject(document))
  if (wrong !== -1) throw invalidValue(`documents[${wrong}]`, 'a text or an object')
  return documents
}

/**
 * Returns the text of a document that is scored. For an object: the given fields, else its `text`, else its
 * `content`, else all of it as JSON.
 */
export function textOf(document: RerankDocument, rankFields: readonly string[]): string {
  if (typeof document === 'string') return document
  const ranked = rankFields.map((field) => ownField(document, field)).filter((value) => value !== undefined)
  if (ranked.length > 0) return ranked.map(toText).join('\n')
  const whole = [ownField(document, 'text'), ownField(document, 'content')].find((value) => typeof value === 'string')
  return toText(whole ?? document)
}

/** Returns a field of the document. Undefined if it is missing or null. */
function ownField(document: JsonObject, field: string): JsonObject[string] | undefined {
  return Object.hasOwn(document, field) ? (document[field] ?? undefined) : undefined
}

function toText(value: JsonObject[string]): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
