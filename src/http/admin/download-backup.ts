import { idOf } from '../path-rules.ts'
import { type OperatorCaller, type Performing, perform } from '../perform.ts'

/**
 * Serves GET backups/{name}: a backup as a file. The system sends it, so that its size needs no memory. The name is
 * looked up, never used as a path.
 */
export async function downloadBackup(exchange: Performing, operator: OperatorCaller): Promise<Response> {
  const { path, bytes, name } = await perform(exchange, operator, 'backups-open', { name: idOf(exchange.url) })
  exchange.limitSilence(false)
  return new Response(Bun.file(path), {
    headers: {
      'content-type': 'application/x-tar',
      'content-length': String(bytes),
      'content-disposition': `attachment; filename="${name}"`,
      'cache-control': 'no-store',
    },
  })
}
