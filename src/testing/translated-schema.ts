import type { ChatRequest, SchemaOrigin } from '../core/chat.ts'
import type { JsonObject } from '../core/json.ts'
import { Pauses } from '../engines/llama/schema/pauses.ts'
import { translateSchema, withTranslatedSchemas } from '../engines/llama/schema/translate-request.ts'
import { checkSchema } from '../wire/chat/check-schema.ts'

/** Returns a schema as its dialect reads it and its engine translates it. */
export async function translated(schema: unknown, origin: SchemaOrigin): Promise<JsonObject> {
  return translateSchema(checkSchema(schema, origin), origin, new Pauses())
}

/** Returns a request with schemas as its engine translates them. */
export async function translatedRequest(request: ChatRequest): Promise<ChatRequest> {
  return withTranslatedSchemas(request, new Pauses())
}
