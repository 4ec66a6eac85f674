import { chatTypes } from '../../inference/chat.ts'
import { countTokens } from '../../inference/count-tokens.ts'
import { findModel, requireType } from '../../inference/resolve-model.ts'
import { parseCountedRequest, parseModelId } from '../../wire/messages/parse-request.ts'
import { toTokenCount } from '../../wire/messages/token-count.ts'
import { authenticate } from '../authenticate.ts'
import { readJson } from '../read-json.ts'
import type { Exchange } from '../services.ts'

/** POST /messages/count_tokens: needs a key and costs nothing. Checks in the order of POST /messages. */
export async function countMessageTokens(exchange: Exchange): Promise<Response> {
  const { request, record, services } = exchange
  const { accountId, keyId } = authenticate(request.headers, services.keys, { acceptsApiKeyHeader: true })
  record.accountId = accountId
  record.keyId = keyId
  const body = await readJson(request, services.config.bodyLimitBytes)
  exchange.waitWithoutTimeout()
  const resolved = findModel(services.catalog, parseModelId(body))
  record.model = resolved.entry.manifest.id
  requireType(resolved, chatTypes, 'messages/count_tokens')
  const counted = parseCountedRequest(body)
  const { signal } = request
  const tokens = await countTokens({ request: counted, resolved, accountId, signal, pool: services.pool })
  return Response.json(toTokenCount(tokens), { headers: { 'x-model-canonical': resolved.entry.manifest.id } })
}
