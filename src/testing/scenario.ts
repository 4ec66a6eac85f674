import { expect } from 'bun:test'
import { pathRulesReader } from '../http/path-rules.ts'
import { routes } from '../http/routes.ts'
import type { TestServer } from './test-server.ts'

/** Row of a table of HTTP requests, with the expected answer. */
export interface Scenario {
  readonly name: string
  /** Defaults to POST with a body, and to GET without one. */
  readonly method?: string
  readonly path: string
  /** Key that is sent, by its state; `guest` sends none. Defaults to `valid`. */
  readonly as?: 'guest' | keyof TestServer['keys']
  /** Body, sent as JSON unless it is text or bytes. */
  readonly body?: unknown
  readonly headers?: Record<string, string>
  readonly status: number
  /** Expected `error.code`. The answer must then have the error form of its path's dialect. */
  readonly code?: string
  readonly param?: string
  /** Expected `error.type`. */
  readonly errorType?: string
  /** Headers that the answer must have. */
  readonly expectHeaders?: Record<string, string>
  /** Texts that the answer must contain. */
  readonly contains?: readonly string[]
}

const rulesOf = pathRulesReader(routes)

/** Sends the request of a row, and checks its answer by the row and by the rules for all answers. */
export async function play(server: TestServer, scenario: Scenario): Promise<void> {
  const { path, as = 'valid', status, code, expectHeaders = {}, contains = [] } = scenario
  const hasBody = scenario.body !== undefined
  const method = scenario.method ?? (hasBody ? 'POST' : 'GET')
  const response = await fetch(server.url + path, {
    method,
    headers: {
      ...(as === 'guest' ? {} : { authorization: `Bearer ${server.keys[as]}` }),
      ...(hasBody ? { 'content-type': 'application/json' } : {}),
      ...scenario.headers,
    },
    ...(hasBody ? { body: asBody(scenario.body) } : {}),
  })
  const text = await response.text()
  expect({ status: response.status, text }).toEqual({ status, text })
  expect(response.headers.get('x-request-id')).toMatch(/^req_[0-9A-Za-z]{24}$/)
  expect(response.headers.get('request-id')).toBe(response.headers.get('x-request-id'))
  expect(response.headers.get('access-control-allow-origin')).toBe('*')
  for (const [name, value] of Object.entries(expectHeaders)) expect(response.headers.get(name)).toBe(value)
  for (const part of contains) expect(text).toContain(part)
  if (method === 'HEAD') expect(text).toBe('')
  if (code === undefined) return
  const common = {
    message: expect.stringMatching(/\S/),
    param: scenario.param ?? null,
    code,
    docs_url: `${server.url}/docs/errors#${code}`,
  }
  if (rulesOf(new URL(response.url).pathname).dialect === 'messages') {
    expect(JSON.parse(text)).toEqual({
      type: 'error',
      error: { ...common, type: scenario.errorType ?? expect.any(String) },
      request_id: response.headers.get('request-id'),
    })
  } else {
    const type =
      scenario.errorType ?? expect.stringMatching(/^(invalid_request|authentication|server|rate_limit)_error$/)
    expect(JSON.parse(text)).toEqual({ error: { ...common, type } })
  }
}

function asBody(body: unknown): string | Uint8Array<ArrayBuffer> {
  if (typeof body === 'string') return body
  return body instanceof Uint8Array ? new Uint8Array(body) : JSON.stringify(body)
}
