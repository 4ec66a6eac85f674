import { isGoodTicket } from '../../operations/download-ticket.ts'
import { problemError } from '../../operations/problem-words.ts'
import { idOf } from '../path-rules.ts'
import { type Performing, perform, type StaffCaller } from '../perform.ts'

/**
 * Serves GET backups/{name}: a backup as a file, for a ticket of `backups-open`. The system sends it, so that its size
 * needs no memory. The name is looked up, never used as a path.
 */
export async function downloadBackup(exchange: Performing, staff: StaffCaller): Promise<Response> {
  const { url, services } = exchange
  const name = idOf(url)
  const ticket = url.searchParams.get('ticket') ?? ''
  if (!isGoodTicket(ticket, { session: staff.session, name, nowMs: services.clock() }))
    throw problemError({ code: 'invalid_link' })
  const backups = await perform(exchange, staff, 'backups-list', {})
  const found = backups.find((backup) => backup.name === name)
  if (found === undefined) throw problemError({ code: 'not_found', what: 'backup', name })
  exchange.limitSilence(false)
  return new Response(Bun.file(found.path), {
    headers: {
      'content-type': 'application/x-tar',
      'content-length': String(found.bytes),
      'content-disposition': `attachment; filename="${name}"`,
      'cache-control': 'no-store',
    },
  })
}
