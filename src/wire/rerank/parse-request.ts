import { Type } from '@sinclair/typebox'
import type { RerankRequest } from '../../core/texts.ts'
import { check, modelField, optionalFlag, optionalInteger, presentFields } from '../check.ts'
import type { TextsCall } from '../texts-dialect.ts'
import { parseDocuments, type RerankDocument, textOf } from './parse-documents.ts'

export const RerankBody = Type.Object({
  ...modelField,
  query: Type.String({ minLength: 1, description: 'a text that is not empty' }),
  documents: Type.Unknown({ description: 'an array of documents' }),
  top_n: optionalInteger(1),
  top_k: optionalInteger(1),
  return_documents: optionalFlag,
  rank_fields: Type.Optional(Type.Array(Type.String(), { description: 'an array of field names' })),
  truncation: optionalFlag,
  max_tokens_per_doc: optionalInteger(1),
  max_doc_length: optionalInteger(1),
})

export interface RerankCall extends TextsCall {
  readonly request: RerankRequest
  /** Documents as sent, if the answer repeats them */
  readonly shownDocuments: readonly RerankDocument[] | undefined
  /** Most results in the answer */
  readonly topN: number
}

/** Translates a whole body. Throws ApiError 400 whose `param` is the dotted path of the invalid field. */
export function parseRerank(body: unknown): RerankCall {
  const fields = check(RerankBody, presentFields(body))
  const documents = parseDocuments(fields.documents)
  return {
    model: fields.model,
    request: {
      query: fields.query.toWellFormed(),
      documents: documents.map((document) => textOf(document, fields.rank_fields ?? []).toWellFormed()),
      documentTokens: fields.max_tokens_per_doc ?? fields.max_doc_length,
      refuseLong: fields.truncation === false,
    },
    shownDocuments: fields.return_documents === true ? documents : undefined,
    topN: fields.top_n ?? fields.top_k ?? documents.length,
  }
}
