/** Whose turn it is. Pure: accounts take turns, and the requests of one account among themselves. */
export class Turns<Request extends { readonly accountId: string }> {
  /** The next account comes first, and of each account the next request. */
  readonly #accounts = new Map<string, Set<Request>>()

  add(request: Request): void {
    const requests = this.#accounts.get(request.accountId) ?? new Set()
    this.#accounts.set(request.accountId, requests.add(request))
  }

  remove(request: Request): void {
    const requests = this.#accounts.get(request.accountId)
    requests?.delete(request)
    if (requests?.size === 0) this.#accounts.delete(request.accountId)
  }

  /** The first in turn that is ready; it and its account are the last from then on. */
  next(isReady: (request: Request) => boolean): Request | undefined {
    for (const [accountId, requests] of this.#accounts) {
      for (const request of requests) {
        if (!isReady(request)) continue
        requests.delete(request)
        requests.add(request)
        this.#accounts.delete(accountId)
        this.#accounts.set(accountId, requests)
        return request
      }
    }
    return undefined
  }
}
