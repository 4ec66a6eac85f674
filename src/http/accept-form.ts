import type { ResolvedModel } from '../catalog/catalog.ts'
import type { AudioFile } from '../core/speech.ts'
import type { Work } from '../core/work.ts'
import { requirePossible } from '../inference/check-work.ts'
import { installedModel } from '../inference/resolve-model.ts'
import { requireFundsFor } from '../inference/run-work.ts'
import { missing, parseModelId } from '../wire/check.ts'
import type { BodyReader, WorkCall } from '../wire/dialect.ts'
import { type FormField, toFormBody } from '../wire/form-body.ts'
import type { KeyHolder } from './authenticate.ts'
import { readForm } from './bodies/read-form.ts'
import { findServed } from './find-served.ts'
import { paymentOf } from './payment.ts'
import type { Exchange } from './services.ts'
import type { RequestProgress } from './upload-progress.ts'

/** All fields of a form together, and what surrounds them. */
const fieldsLimitBytes = 1024 * 1024

interface AcceptedForm<Call> {
  readonly call: Call
  readonly resolved: ResolvedModel
  readonly audio: AudioFile
}

/**
 * Reads a request for a model whose body is a form with a recording, which is decoded. What fields that precede the recording
 * say is checked before that is read, and whether the account can pay for the recording before that is decoded, as far as it
 * says how long it is. The files last as long as the request and count as the sender's. Throws ApiError.
 */
export async function acceptForm<Call extends WorkCall>(
  exchange: Exchange,
  { sender, ...holder }: KeyHolder & { readonly sender: string },
  reader: BodyReader<Call> & { readonly file: string },
  progress?: Pick<RequestProgress, 'decoding'>,
): Promise<AcceptedForm<Call>> {
  const { request, services, keep } = exchange
  const { spool, audioDecoder, config } = services
  const { fields, file } = await readForm(request, {
    file: reader.file,
    limitBytes: spool.fileLimitBytes + fieldsLimitBytes,
    timeoutMs: config.uploadTimeoutMs,
    silenceMs: config.bodyTimeoutMs,
    receive: async (upload, before) => {
      if (before.some(([name]) => name === 'model')) readFields(exchange, reader, before)
      return keep(await spool.receive(upload, sender))
    },
  })
  const accepted = readFields(exchange, reader, fields)
  if (file === undefined) throw missing(reader.file, 'a recording, sent as a file')
  progress?.decoding()
  const { manifest } = accepted.resolved.entry
  const payment = paymentOf(exchange, { ...holder, endpoint: reader.endpoint }, manifest.id, {
    signal: request.signal,
    isCancelled: () => false,
  })
  const decoding = audioDecoder.decode({
    path: file.path,
    accountId: sender,
    signal: request.signal,
    admit: (seconds) => requireFundsFor({ audioMs: Math.round(seconds * 1000) }, manifest, payment),
  })
  const { path, sampleCount } = keep(await decoding)
  await file[Symbol.asyncDispose]()
  return { ...accepted, audio: { path, sampleCount } }
}

/** Throws ApiError for all that can be wrong but the recording. */
function readFields<Call extends WorkCall>(
  exchange: Exchange,
  reader: BodyReader<Call>,
  fields: readonly FormField[],
): Omit<AcceptedForm<Call>, 'audio'> {
  const body = toFormBody(reader.body, fields)
  const resolved = findServed(exchange, parseModelId(body), reader)
  const call = reader.parse(body)
  requirePossible({ kind: reader.kind, request: call.request } as Work, resolved.entry.manifest)
  installedModel(resolved.entry)
  return { call, resolved }
}
