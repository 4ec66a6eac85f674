/** Characters of the prompt that decide: enough to tell conversations apart, and few enough to be the same in each turn. */
const prefixLength = 2048

/**
 * Endpoints by rendezvous hash, the best first. The order is the same for the same account and beginning of a prompt, so that a
 * server finds what it has cached. An endpoint that is added or removed moves only the requests whose first it is.
 */
export function rankEndpoints<Each extends { readonly url: string }>(
  endpoints: readonly Each[],
  accountId: string,
  prefix: string,
): readonly Each[] {
  const key = Bun.hash.wyhash(`${accountId}\n${prefix.slice(0, prefixLength)}`)
  return endpoints
    .map((endpoint) => ({ endpoint, score: Bun.hash.wyhash(endpoint.url, key) }))
    .sort((one, other) => (one.score < other.score ? 1 : -1))
    .map(({ endpoint }) => endpoint)
}
