/** Whether mail to a domain is thrown away: by the shipped list, or by the operator's own. Subdomains count too. */
export async function isDisposable(domain: string, blocked: readonly string[]): Promise<boolean> {
  const list = await shippedList()
  const labels = domain.split('.')
  // a.b.example.org, b.example.org, example.org
  const names = labels.map((_, index) => labels.slice(index).join('.'))
  return names.some((name) => list.has(name) || blocked.includes(name))
}

let list: Promise<ReadonlySet<string>> | undefined

/** Read at the first signup: some servers never have one. */
function shippedList(): Promise<ReadonlySet<string>> {
  list ??= import('disposable-email-domains-js').then((module) => module.disposableEmailBlocklistSet())
  return list
}
