import { asJson } from '../../operations/as-json.ts'
import { inUsd } from '../../operations/money-text.ts'
import { OperationError } from '../../operations/problem.ts'
import { problemError } from '../../operations/problem-words.ts'
import { missing } from '../../wire/check.ts'
import { readForm } from '../bodies/read-form.ts'
import { type Performing, perform, type StaffCaller } from '../perform.ts'

/** Name of the form's file. */
export const backupField = 'backup'
/** Bytes of a form that are allowed beside its file. */
const fieldsLimitBytes = 64 * 1024
const timeoutMs = 12 * 3600_000

/**
 * Serves POST backups: a form with a backup as its file, written to the disk as it arrives. The body is bounded by the
 * room on the disk. The answer tells what the backup holds.
 */
export async function uploadBackup(exchange: Performing, staff: StaffCaller): Promise<Response> {
  const { request, services } = exchange
  if (services.server === undefined) throw problemError({ code: 'no_server' })
  const { restores } = services.server
  exchange.limitSilence(false)
  const { file: upload } = await readForm(request, {
    file: backupField,
    limitBytes: (await restores.limitBytes()) + fieldsLimitBytes,
    timeoutMs,
    silenceMs: services.config.bodyTimeoutMs,
    receive: (file) =>
      restores.receive(file).catch((error: unknown) => {
        throw error instanceof OperationError ? problemError(error.problem) : error
      }),
  })
  if (upload === undefined) throw missing(backupField, 'a backup, sent as a file')
  const result = await perform(exchange, staff, 'backups-add-upload', { upload })
  return Response.json({ result: inUsd(asJson(result)) }, { headers: { 'cache-control': 'no-store' } })
}
