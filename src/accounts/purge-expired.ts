import type { Database } from 'bun:sqlite'

const dayMs = 24 * 60 * 60 * 1000
/** Expired and used links are kept this long, so that who opens one is told what became of it. */
const keptDays = 30

/** Deletes sessions, links, mails and signup counts that mean nothing any more. For a server's start. */
export function purgeExpired(database: Database, nowMs: number): void {
  const longAgoMs = nowMs - keptDays * dayMs
  database
    .transaction(() => {
      database.query('DELETE FROM sessions WHERE expires <= ?').run(nowMs)
      database.query('DELETE FROM mail_tokens WHERE expires <= ?').run(longAgoMs)
      database.query('DELETE FROM outbox WHERE created < ?').run(longAgoMs)
      database.query('DELETE FROM signups WHERE day < ?').run(new Date(nowMs - dayMs).toISOString().slice(0, 10))
    })
    .immediate()
}
