import { ApiError } from '../core/errors.ts'
import type { FetchedFiles } from '../images/fetch/file-fetcher.ts'
import type { LaidOut } from './page-layout.ts'
import type { SentDocument } from './sent-documents.ts'

/** Formats of documents. Completes "Send …". */
export const readableDocuments = 'a PDF, a file of text, .docx, .xlsx or .pptx'

/** Limits of the documents of a request. */
export const documentLimits = {
  /** Documents that are read in a process. Files of text are limited by their characters alone. */
  count: 8,
  /** Bytes of a document. */
  bytes: 50 * 1024 * 1024,
} as const

export const documentFiles: FetchedFiles = {
  name: 'document',
  code: 'invalid_document_url',
  limitBytes: documentLimits.bytes,
  tooLarge: documentTooLarge,
}

/**
 * Returns the error of an unusable document. `reason` completes "the document cannot be read: …" and reveals nothing of
 * this machine.
 */
export function invalidDocument(param: string, reason: string, cause?: unknown): ApiError {
  const message = `'${param}': the document cannot be read: ${reason}. Send ${readableDocuments}.`
  return new ApiError('invalid_request', message, { code: 'invalid_document', param, cause })
}

/** Returns the error of a document of a kind that is not read. `what` names it. */
export function unsupportedDocument(param: string, what: string, advice = `Send ${readableDocuments}.`): ApiError {
  const message = `'${param}' is ${what}, which this server does not read. ${advice}`
  return new ApiError('invalid_request', message, { code: 'unsupported_content', param })
}

export function documentTooLarge(param: string): ApiError {
  const message = `'${param}': a document may have at most ${documentLimits.bytes / 1024 / 1024} MB. Send a smaller one.`
  return new ApiError('payload_too_large', message, { code: 'payload_too_large', param })
}

/** Throws ApiError if the document's bytes show that it cannot be read. */
export function requireReadable({ content, param }: SentDocument): void {
  if (content.kind === 'unreadable') throw invalidDocument(param, content.reason)
  if (content.kind === 'too-large') throw documentTooLarge(param)
  if (content.kind === 'other') throw unsupportedDocument(param, content.what)
}

/** Returns the error of an empty document, or of a scan that the model cannot see. */
export function withoutText(
  { param }: SentDocument,
  { sees, modelId }: { readonly sees: boolean; readonly modelId: string },
): ApiError {
  if (sees) return invalidDocument(param, 'it has no text')
  const what = `a document without text, as from a scanner, and model '${modelId}' reads text only`
  return unsupportedDocument(param, what, 'Choose a model of type vision: GET /models lists them.')
}

/**
 * Throws ApiError 400 `too_many_documents` that names the first document of users beyond the limit. Agents do not
 * choose their tools' results.
 */
export function requireFewDocuments(documents: readonly SentDocument[]): void {
  const { count } = documentLimits
  const read = documents.filter((document) => !document.isToolResult && isReadByProcess(document))
  const param = read[count]?.param
  if (param === undefined) return
  const message = `'${param}': a request may have at most ${count} documents other than text, and this one has ${read.length}. Leave out the oldest.`
  throw new ApiError('invalid_request', message, { code: 'too_many_documents', param })
}

/** Returns the documents, those of tools beyond the limit as unreadable, the oldest first. */
export function withoutOldest(documents: readonly SentDocument[]): SentDocument[] {
  const ofTools = documents.filter((document) => document.isToolResult && isReadByProcess(document))
  const left = new Set(ofTools.slice(0, -documentLimits.count))
  const content = { kind: 'unreadable', reason: 'the request has too many documents' } as const
  return documents.map((document) => (left.has(document) ? { ...document, content } : document))
}

function isReadByProcess({ content }: SentDocument): boolean {
  return content.kind === 'file' || content.kind === 'url'
}

/** Replaces a document of a tool that cannot be read. */
export const remark: LaidOut = { parts: [{ type: 'text', text: '[document omitted: it cannot be read]' }], pages: 0 }
