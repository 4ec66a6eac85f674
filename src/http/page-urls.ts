/** Addresses of this server's own pages. `baseUrl` is its address without path. */

/** Returns the address of an error code's documentation. */
export function docsUrl(code: string, baseUrl: string): string {
  return `${baseUrl}/docs/errors#${encodeURIComponent(code)}`
}

/** Returns a function from a model's id to the address of its documentation. */
export function modelDocsUrl(baseUrl: string): (canonicalId: string) => string {
  return (canonicalId) => `${baseUrl}/docs/models#${encodeURI(canonicalId)}`
}

/** Returns the address of the page where funds are added. */
export function billingUrl(baseUrl: string): string {
  return `${baseUrl}/dashboard/billing`
}
