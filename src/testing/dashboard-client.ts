import type { TestServer } from './test-server.ts'

/** A browser on the dashboard: keeps the cookie and sends the page's origin. */
export class DashboardClient {
  readonly #server: TestServer
  cookie: string | undefined

  constructor(server: TestServer, cookie?: string) {
    this.#server = server
    this.cookie = cookie
  }

  /** Returns a client with a session. */
  static signedIn(server: TestServer, accountId: string): DashboardClient {
    return new DashboardClient(server, `inferd_session=${server.stores.sessions.begin(accountId)}`)
  }

  /** Performs an operation on the account. `result` is undefined if it is refused. */
  async perform(name: string, input: object = {}) {
    const answer = await this.send(`operations/${name}`, { body: input })
    return { ...answer, result: answer.json.result }
  }

  async send(
    path: string,
    { method, body, headers = {} }: { method?: string; body?: unknown; headers?: Record<string, string> } = {},
  ) {
    const response = await fetch(`${this.#server.url}/dashboard/api/${path}`, {
      method: method ?? (body === undefined ? 'GET' : 'POST'),
      headers: {
        origin: this.#server.url,
        ...(this.cookie === undefined ? {} : { cookie: this.cookie }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const set = response.headers.getSetCookie().find((cookie) => /inferd_session=\w/.test(cookie))
    if (set !== undefined) this.cookie = set.split(';')[0]
    const text = await response.text()
    const isJson = response.headers.get('content-type')?.startsWith('application/json')
    return { status: response.status, headers: response.headers, text, json: Object(isJson ? JSON.parse(text) : {}) }
  }
}
