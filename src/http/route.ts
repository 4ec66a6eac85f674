import type { TSchema } from '@sinclair/typebox'
import type { StaffRole } from '../core/roles.ts'
import type { KeyHolder } from './authenticate.ts'
import type { ErrorDialect, Exchange } from './exchange.ts'
import type { AccountCaller, StaffCaller } from './perform.ts'
import type { HttpServices, SharedFiles } from './services.ts'

type Answer = Response | Promise<Response>

/** Request with the services of all handlers, of which each handler takes those that it declares */
export type Served = Exchange<keyof HttpServices>

/** Request with its exchange, attached because Elysia hands only the request to hooks and handlers */
export type Received = Request & { readonly exchange: Served }

export type KeyHandler<Name extends keyof HttpServices = keyof HttpServices> = (
  exchange: Exchange<Name>,
  holder: KeyHolder,
) => Answer

/**
 * Clients of a route, and what their requests reveal about them. `public`: every client. `key`: holders of an API
 * key. `share`: holders of a key of an operator's account, if models are shared. `ollama`: holders of an API key, and
 * programs on this machine if these need none. All others are served only under the server's own host names, and
 * requests from other sites' pages are refused. `own-host`: every client. `own-page`: pages of this server.
 * `session`: pages of this server with a signed-in account. `playground`: the same pages, for routes that otherwise
 * take an API key. `own-admin` and `staff` need a client that `--admin` admits. `own-admin`: pages of this server.
 * `staff`: pages with signed-in staff of the row's roles. `monitor`: programs on this machine, and holders of a key of
 * an operator's or auditor's account.
 */
export interface Callers {
  readonly public: unknown
  readonly 'own-host': unknown
  readonly 'own-page': unknown
  readonly monitor: unknown
  readonly key: KeyHolder
  readonly ollama: KeyHolder
  readonly share: SharedFiles
  readonly session: AccountCaller
  readonly playground: AccountCaller
  readonly 'own-admin': unknown
  readonly staff: StaffCaller
}

export type Access = keyof Callers

type Guarded = {
  readonly [Who in Access]: {
    readonly access: Who
    readonly handle: (exchange: Served, caller: Callers[Who]) => Answer
  }
}[Access]

type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE'

/** Row of the route table. */
export type RouteRow = Guarded & {
  /** Method and path. A path is exact or ends in `/*`, which stands for an id. */
  readonly on: `${Method} /${string}`
  /** Roles that a route with access `staff` serves. Defaults to operators alone. */
  readonly roles?: readonly StaffRole[]
  /** Summary for the API reference. Routes without one are not listed there. */
  readonly summary?: string | undefined
  /** Schema of the body: JSON, or a form if it has a file. */
  readonly body?: TSchema
  /** Field of the body that is a file. */
  readonly file?: string | undefined
  /** Names of the query's parameters. */
  readonly query?: readonly string[]
  /** Content types of the answers. Defaults to JSON. */
  readonly answers?: readonly string[]
  /** Error format at this path and below it. Defaults to `chat`. */
  readonly dialect?: ErrorDialect
}

/** Rows for one kind of client. */
export type RowsFor<Who extends Access> = readonly Omit<Extract<RouteRow, { readonly access: Who }>, 'access'>[]

export type Route = RouteRow & Required<Pick<RouteRow, 'roles'>> & { readonly method: string; readonly path: string }

/** Returns routes whose paths begin with a prefix. */
export function routesBelow(prefix: string, rows: readonly RouteRow[]): Route[] {
  return rows.map((row) => {
    const [method = '', path = ''] = row.on.split(' ')
    return { roles: ['operator'], ...row, method, path: prefix + path }
  })
}
