/** Sessions of an account. Times are ISO 8601. */
import { toTime } from './query.ts'

export interface ListedSession {
  readonly id: string
  readonly created: string
  /** Accurate to the minute. */
  readonly last_used: string
  /** Address of the client that used it last. */
  readonly address: string | null
  readonly user_agent: string | null
  /** True for the session of this request. */
  readonly is_current: boolean
  readonly is_operator: boolean
}

export interface SessionList {
  readonly object: 'list'
  /** Sessions, the latest first. */
  readonly data: readonly ListedSession[]
}

interface SessionFacts {
  readonly id: string
  readonly createdMs: number
  readonly lastUsedMs: number
  readonly address: string | undefined
  readonly userAgent: string | undefined
  readonly isCurrent: boolean
  readonly isOperator: boolean
}

export function toSessionList(sessions: readonly SessionFacts[]): SessionList {
  const data = sessions.map((session) => ({
    id: session.id,
    created: toTime(session.createdMs),
    last_used: toTime(session.lastUsedMs),
    address: session.address ?? null,
    user_agent: session.userAgent ?? null,
    is_current: session.isCurrent,
    is_operator: session.isOperator,
  }))
  return { object: 'list', data }
}
