import { chatTypes } from '../../inference/chat.ts'
import { countTokens } from '../../inference/count-tokens.ts'
import { findModel, requireType } from '../../inference/resolve-model.ts'
import { responsesDialect } from '../../wire/responses/dialect.ts'
import { authenticate } from '../authenticate.ts'
import { readJson } from '../read-json.ts'
import type { Exchange } from '../services.ts'

/** POST /responses/input_tokens: needs a key and costs nothing. Checks in the order of POST /responses. */
export async function countResponseTokens(exchange: Exchange): Promise<Response> {
  const { request, record, services } = exchange
  const { accountId, keyId } = authenticate(request.headers, services.keys)
  record.accountId = accountId
  record.keyId = keyId
  const body = await readJson(request, services.config.bodyLimitBytes)
  exchange.waitWithoutTimeout()
  const resolved = findModel(services.catalog, responsesDialect.parseModelId(body))
  record.model = resolved.entry.manifest.id
  requireType(resolved, chatTypes, 'responses/input_tokens')
  const call = responsesDialect.parse(body)
  const { signal } = request
  const tokens = await countTokens({ request: call.request, resolved, accountId, signal, pool: services.pool })
  const headers = { 'x-model-canonical': resolved.entry.manifest.id }
  return Response.json({ object: 'response.input_tokens', input_tokens: tokens }, { headers })
}
