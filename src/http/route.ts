import type { TSchema } from '@sinclair/typebox'
import type { KeyHolder } from './authenticate.ts'
import type { AccountCaller, OperatorCaller } from './perform.ts'
import type { ErrorDialect, Exchange, SharedFiles } from './services.ts'

type Answer = Response | Promise<Response>

export type KeyHandler = (exchange: Exchange, holder: KeyHolder) => Answer

/**
 * Who is served, and by what. `public`: every client. `key`: holders of an API key. `share`: holders of a key of the operator's
 * own account, where models are shared. `ollama`: holders of an API key, and programs on this machine where these need none. The others are served under the server's
 * own host names alone, and pages of other sites are refused. `own-host`: every client. `own-page`: pages of this server.
 * `session`: pages of this server on which an account is signed in. `playground`: the same pages, for what else takes an API key.
 * Of the operator's part, where `--admin` lets the client in, `own-admin`: pages of this server; `operator`: pages on which an
 * operator is signed in. `monitor`: programs on this machine, and holders of a key of an operator's account.
 */
interface Handlers {
  readonly public: (exchange: Exchange) => Answer
  readonly 'own-host': (exchange: Exchange) => Answer
  readonly 'own-page': (exchange: Exchange) => Answer
  readonly monitor: (exchange: Exchange) => Answer
  readonly key: KeyHandler
  readonly ollama: KeyHandler
  readonly share: (exchange: Exchange, share: SharedFiles) => Answer
  readonly session: (exchange: Exchange, account: AccountCaller) => Answer
  readonly playground: KeyHandler
  readonly 'own-admin': (exchange: Exchange) => Answer
  readonly operator: (exchange: Exchange, operator: OperatorCaller) => Answer
}

export type Access = keyof Handlers

type Guarded = { readonly [Who in Access]: { readonly access: Who; readonly handle: Handlers[Who] } }[Access]

type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE'

/** A row of the route table. */
export type RouteRow = Guarded & {
  /** Method and path. A path is exact or ends in `/*`, which stands for an id. */
  readonly on: `${Method} /${string}`
  /** What it does, for the reference. Without a summary it is not listed there. */
  readonly summary?: string | undefined
  /** Schema of the body, which is JSON, or a form where it has a file. */
  readonly body?: TSchema
  /** The field of the body that is a file. */
  readonly file?: string | undefined
  /** Parameters of the query. */
  readonly query?: readonly string[]
  /** Types of its answers; JSON unless they are given. */
  readonly answers?: readonly string[]
  /** The shape of errors at this path and below it, `chat` unless it is given. */
  readonly dialect?: ErrorDialect
}

/** Rows for the same clients. */
export type RowsFor<Who extends Access> = readonly Omit<Extract<RouteRow, { readonly access: Who }>, 'access'>[]

export type Route = RouteRow & { readonly method: string; readonly path: string }

/** Routes whose paths begin with a prefix. */
export function routesBelow(prefix: string, rows: readonly RouteRow[]): Route[] {
  return rows.map((row) => {
    const [method = '', path = ''] = row.on.split(' ')
    return { ...row, method, path: prefix + path }
  })
}
