/** Failures below HTTP: names, connections, certificates, proxies. */

import { errorText } from '../../core/error-text.ts'
import { WebError } from './web-error.ts'

/** Error codes that a second attempt does not change. */
const finalCodes = /CERT|SELF_SIGNED|UNABLE_TO_(VERIFY|GET)|HOSTNAME|ERR_PROXY|INVALID/

/** Error codes of established connections that broke. */
const lostCodes = /ECONNRESET|EPIPE|ConnectionClosed/

const remedies: readonly (readonly [code: RegExp, remedy: string])[] = [
  [/ENOTFOUND|EAI_/, 'check the name and the name server'],
  [/CERT|SELF_SIGNED|UNABLE_TO_(VERIFY|GET)/, 'give the certificate of your network with pull-ca'],
  [/ERR_PROXY/, 'check HTTPS_PROXY and NO_PROXY'],
]

/** Returns the error of a failed `fetch` with its code, its cause's code, the host, and the proxy. */
export function networkError(error: unknown, address: URL, proxy: string | undefined): WebError {
  if (error instanceof WebError) return error
  const code = codeOf(error)
  const cause = error instanceof Error && error.cause !== undefined ? ` (${codeOf(error.cause)})` : ''
  const way = proxy === undefined ? '' : ` through the proxy ${new URL(proxy).host}`
  const remedy = remedies.find(([pattern]) => pattern.test(code))?.[1]
  const what = lostCodes.test(code)
    ? `the connection to ${address.host}${way} was lost`
    : `${address.host} cannot be reached${way}`
  const message = `${what}: ${code}${cause}${remedy === undefined ? '' : `; ${remedy}`}`
  return new WebError(finalCodes.test(code) ? 'final' : 'again', message, { cause: error })
}

function codeOf(error: unknown): string {
  if (error instanceof Error && 'code' in error && error.code !== undefined) return String(error.code)
  return errorText(error)
}

/**
 * Returns Bun's proxy for an address from the usual variables, for messages. Throws WebError if it is not an address.
 */
export function proxyFor(address: URL, environment: Readonly<Record<string, string | undefined>>): string | undefined {
  const named = (name: string) => environment[name.toLowerCase()] || environment[name] || undefined
  const direct = (named('NO_PROXY') ?? '').split(',').map((entry) => entry.trim().replace(/^\*?\./, ''))
  const isDirect = direct.some(
    (entry) =>
      entry !== '' &&
      (entry === '*' || entry === address.host || entry === address.hostname || address.hostname.endsWith(`.${entry}`)),
  )
  const variable = address.protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY'
  const proxy = isDirect ? undefined : named(variable)
  if (proxy === undefined) return undefined
  const url = proxy.includes('://') ? proxy : `http://${proxy}`
  if (/^https?:/i.test(url) && URL.canParse(url)) return url
  throw new WebError('final', `${variable} is no address of a proxy: write http://host:port`)
}
