import { searchForClient } from '../../inference/client-search.ts'
import { noSearchEndpoint } from '../../inference/offered-search.ts'
import { billOf } from '../../inference/run-work.ts'
import { parseSearch, toSearchAnswer } from '../../wire/search/parse-search.ts'
import { findServed } from '../accept-form.ts'
import type { KeyHolder } from '../authenticate.ts'
import type { Exchange } from '../exchange.ts'
import { admit, type LimitServices } from '../limits.ts'
import { cancellation, costHeaders, type Paying, paymentOf } from '../payment.ts'
import { readJson } from '../read-json.ts'

const endpoint = 'alpha/search'
/** Most bytes of a body: agents send the end of their conversation with a search. */
const limitBytes = 1024 * 1024

/** Serves POST /alpha/search: the operator's search server answers, and no page is opened. */
export async function searchTheWeb(
  exchange: Exchange<Paying | LimitServices | 'catalog' | 'requests'>,
  holder: KeyHolder,
): Promise<Response> {
  const { observer, services, request } = exchange
  observer.endpoint = endpoint
  const service = services.searching
  if (service === undefined) throw noSearchEndpoint()
  const admission = admit(exchange, holder, endpoint)
  const call = parseSearch(await readJson(exchange, limitBytes))
  const resolved = findServed(exchange, call.model, { kind: 'chat', endpoint }, admission)
  const ending = cancellation(request.signal)
  const payment = paymentOf(exchange, { ...holder, endpoint }, resolved.entry.manifest.id, ending, admission)
  services.requests.begin({ id: observer.requestId, record: () => observer.record(), cancel: ending.cancel })
  const bill = billOf(resolved.entry.manifest, payment, service.priceNanoUsd)
  observer.watch(bill)
  const outcomes = await searchForClient({ queries: call.queries, bill, payment, service })
  return Response.json(toSearchAnswer(call, outcomes), { headers: costHeaders(bill.settlement) })
}
