/** Addresses of this server's own pages. `baseUrl` is its address without path. */

/** The page on an error code. */
export function docsUrl(code: string, baseUrl: string): string {
  return `${baseUrl}/docs/errors#${encodeURIComponent(code)}`
}

/** The sections of the page on models. */
export function modelDocsUrl(baseUrl: string): (canonicalId: string) => string {
  return (canonicalId) => `${baseUrl}/docs/models#${encodeURI(canonicalId)}`
}

/** The page where funds are added. */
export function billingUrl(baseUrl: string): string {
  return `${baseUrl}/dashboard/billing`
}
