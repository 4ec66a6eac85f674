/** The page where funds are added. `baseUrl` is the server's address without path. */
export function billingUrl(baseUrl: string): string {
  return `${baseUrl}/dashboard/billing`
}
