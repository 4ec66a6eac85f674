import type { EndpointState } from '../core/endpoint-state.ts'
import type { Notice } from '../core/live.ts'

/** Returns a notice per upstream model whose endpoints get no requests. Pure. */
export function endpointNotices(endpoints: readonly EndpointState[]): Notice[] {
  const byModel = Map.groupBy(endpoints, ({ model }) => model)
  return [...byModel].flatMap(([model, ofModel]): Notice[] => {
    const troubled = ofModel.filter(({ state }) => state === 'open' || state === 'out-of-use')
    const [first] = troubled
    if (first === undefined) return []
    const isAll = troubled.length === ofModel.length
    const count = isAll && ofModel.length === 1 ? 'The endpoint' : `${troubled.length} of ${ofModel.length} endpoints`
    const reason = first.outOfUse ?? first.lastFailure?.reason ?? 'it failed'
    const text = `${count} of ${model} cannot be used: ${new URL(first.url).host}, ${reason}.`
    return [{ code: 'upstream_endpoint', severity: isAll ? 'bad' : 'warn', text, link: `/admin/models/${model}` }]
  })
}
