import type { ModelEndpoint, Notice } from '../core/live.ts'

/** What the operator should know of servers behind: those that get no requests, a notice a model. Pure. */
export function endpointNotices(endpoints: readonly ModelEndpoint[]): Notice[] {
  const byModel = Map.groupBy(endpoints, ({ model }) => model)
  return [...byModel].flatMap(([model, servers]): Notice[] => {
    const troubled = servers.filter(({ state }) => state === 'open' || state === 'out-of-use')
    const [first] = troubled
    if (first === undefined) return []
    const isAll = troubled.length === servers.length
    const count = isAll && servers.length === 1 ? 'The server' : `${troubled.length} of ${servers.length} servers`
    const reason = first.outOfUse ?? first.lastFailure?.reason ?? 'it failed'
    const text = `${count} behind ${model} cannot be used: ${new URL(first.url).host}, ${reason}.`
    return [{ code: 'server_behind', severity: isAll ? 'bad' : 'warn', text, link: `/admin/models/${model}` }]
  })
}
