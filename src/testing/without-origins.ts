import type { ChatRequest } from '../core/chat.ts'

/** Returns a request without the origins of its schemas, which differ between dialects. */
export function withoutOrigins({ answerSchemaOrigin: _, ...request }: ChatRequest): ChatRequest {
  return { ...request, tools: request.tools.map(({ parametersOrigin: _, ...tool }) => tool) }
}
