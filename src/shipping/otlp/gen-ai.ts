/**
 * Requests in OpenTelemetry's conventions for generative AI (open-telemetry/semantic-conventions-genai). All of these are in
 * development, so names may change. Attributes with content (`gen_ai.input.messages` and the like) are never set.
 */
import type { RequestRecord } from '../../core/request-record.ts'

/** Operations by endpoint. The last four names are not of the conventions. */
const operations: Readonly<Record<string, string>> = {
  'chat/completions': 'chat',
  responses: 'chat',
  messages: 'chat',
  'api/chat': 'chat',
  completions: 'text_completion',
  'fim/completions': 'text_completion',
  'api/generate': 'text_completion',
  embeddings: 'embeddings',
  embed: 'embeddings',
  'v2/embed': 'embeddings',
  'api/embed': 'embeddings',
  'api/embeddings': 'embeddings',
  'images/generations': 'generate_content',
  rerank: 'rerank',
  'v2/rerank': 'rerank',
  'audio/transcriptions': 'transcribe',
  'audio/translations': 'transcribe',
  'audio/speech': 'speak',
  moderations: 'moderate',
}

export const provider = 'inferd'

/** Returns the name of a request's operation; its endpoint where the conventions have none. */
export function operationOf({ endpoint = '' }: Pick<RequestRecord, 'endpoint'>): string {
  return operations[endpoint] ?? endpoint
}

/** Returns the error's code or status; undefined for a request that succeeded. */
export function errorType({ status = 0, code, finish }: RequestRecord): string | undefined {
  if (code !== undefined) return code
  if (finish === 'failed') return 'failed'
  return status >= 400 ? String(status) : undefined
}
