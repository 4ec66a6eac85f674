/** People who sign in to a test's server by a scripted identity provider. */
import type { IdentityProvider } from '../core/identity-provider.ts'
import { providerSettings, type ScriptedProvider } from './scripted-provider.ts'
import { TestBrowser } from './test-browser.ts'
import { startTestServer, type TestServer, type TestServerOptions } from './test-server.ts'

let people = 0

/** Returns the claims of another person, with a proven address. */
export function newPerson() {
  const sub = `person-${++people}`
  return { sub, email: `${sub}@example.org`, email_verified: true as unknown, name: 'Ada', sid: `session-${sub}` }
}

/** Starts a server whose one provider, `company`, is the scripted one. */
export function serve(
  provider: ScriptedProvider,
  settings: Partial<IdentityProvider> = {},
  options: TestServerOptions = {},
): TestServer {
  const company = providerSettings({ issuer: provider.issuer, ...settings })
  return startTestServer({ providers: new Map([[company.name, company]]), ...options })
}

/** Signs in as the person of the provider's claims, and returns status and code of the answer. */
export async function signIn(
  provider: ScriptedProvider,
  server: TestServer,
  browser = new TestBrowser(),
  query = '',
): Promise<string> {
  const headers = { accept: 'application/json', ...(query !== '' && { 'sec-fetch-site': 'same-origin' }) }
  const started = await browser.open(`${server.url}/oidc/start/company${query}`, headers)
  const location = started.headers.get('location')
  const response = location === null ? started : await browser.open(provider.returnFrom(location), headers)
  return resultOf(response)
}

/** Returns status and code of the answer to a sign-in. */
export async function resultOf(response: Response): Promise<string> {
  if (response.status === 303) return 'signed in'
  return `${response.status} ${Object(await response.json()).error.code}`
}

/** Returns the session of a browser; undefined without one. */
export function sessionOf(browser: TestBrowser, { stores }: TestServer) {
  return stores.sessions.find(browser.cookies.get('inferd_session') ?? '')
}

/** Returns the account that a browser is signed in to; undefined if it is not. */
export function accountOf(browser: TestBrowser, server: TestServer) {
  return server.stores.accounts.find(sessionOf(browser, server)?.accountId ?? '')
}

/** Makes an account with this address and a password, and returns its id. */
export function accountWith({ stores }: TestServer, address: string): string {
  const email = { address, key: address.toLowerCase(), domain: 'example.org' }
  return stores.accounts.create({ email, name: 'local', passwordHash: 'a hash' }) ?? ''
}
