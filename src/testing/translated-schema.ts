import type { ChatRequest, SchemaOrigin } from '../core/chat.ts'
import type { JsonObject } from '../core/json.ts'
import { Pauses } from '../engines/llama/schema/pauses.ts'
import { translateSchema, withTranslatedSchemas } from '../engines/llama/schema/translate-request.ts'
import { checkSchema } from '../wire/chat/check-schema.ts'

/** A schema after all its stations: as its dialect reads it, as its engine translates it. */
export async function translated(schema: unknown, origin: SchemaOrigin): Promise<JsonObject> {
  return translateSchema(checkSchema(schema, origin), origin, new Pauses())
}

/** A request as its engine sees it. */
export async function translatedRequest(request: ChatRequest): Promise<ChatRequest> {
  return withTranslatedSchemas(request, new Pauses())
}
