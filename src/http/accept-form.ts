import type { ResolvedModel } from '../catalog/catalog.ts'
import { ApiError } from '../core/errors.ts'
import type { Owner } from '../core/owner.ts'
import type { AudioFile } from '../core/speech.ts'
import { kindsOfWork, type Work } from '../core/work.ts'
import type { Bill } from '../inference/bill.ts'
import { requirePossible } from '../inference/check-work.ts'
import { RecordingHold } from '../inference/recording-hold.ts'
import { findModelBySpelling, findOnlyModel, installedModel, requireType } from '../inference/resolve-model.ts'
import { missing, parseModelId } from '../wire/check.ts'
import type { BodyReader, WorkCall } from '../wire/dialect.ts'
import { type FormField, toFormBody } from '../wire/form-body.ts'
import type { KeyHolder } from './authenticate.ts'
import { readForm } from './bodies/read-form.ts'
import type { Exchange } from './exchange.ts'
import { findModerator } from './find-moderator.ts'
import type { Admission } from './limits.ts'
import { type Cancellation, type Paying, paymentOf } from './payment.ts'
import type { RequestProgress } from './upload-progress.ts'

/** Bytes of a form that are allowed beside its file: all fields and the boundaries between parts. */
const fieldsLimitBytes = 1024 * 1024

interface AcceptedForm<Call> {
  readonly call: Call
  readonly resolved: ResolvedModel
  readonly audio: AudioFile
  /** Bill that holds money for the recording */
  readonly bill: Bill
}

/** Services by which forms are accepted. */
export type FormServices = 'spool' | 'audioDecoder' | 'catalog' | Paying

/** Request with a form, sent by the holder of a key. */
interface SentForm extends KeyHolder {
  /** Owner whose share of the spool the files take. */
  readonly sender: Owner
  readonly ending: Cancellation
  /** Limits of the request. Undefined if it has none. */
  readonly admission: Admission | undefined
}

/**
 * Reads a request whose body is a form with a recording, and decodes the recording. Checks the fields that precede it
 * before reading it. Holds money for the length that the recording states, and more if it turns out longer. The files
 * last as long as the request. Throws ApiError.
 */
export async function acceptForm<Call extends WorkCall>(
  exchange: Exchange<FormServices>,
  { sender, ending, admission, ...holder }: SentForm,
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
      if (before.some(([name]) => name === 'model')) readFields(exchange, reader, { fields: before, admission })
      return keep(await spool.receive(upload, sender))
    },
  })
  const accepted = readFields(exchange, reader, { fields, admission })
  if (file === undefined) throw missing(reader.file, 'a recording, sent as a file')
  progress?.decoding()
  const { manifest } = accepted.resolved.entry
  const payment = paymentOf(exchange, { ...holder, endpoint: reader.endpoint }, manifest.id, ending, admission)
  const hold = keep(new RecordingHold(manifest, payment))
  try {
    const { path, sampleCount } = keep(
      await audioDecoder.decode({
        path: file.path,
        accountId: sender,
        signal: request.signal,
        admit: (seconds) => hold.admit(Math.ceil(seconds * 1000)),
      }),
    )
    return { ...accepted, audio: { path, sampleCount }, bill: hold.bill }
  } catch (error) {
    await hold[Symbol.asyncDispose]()
    throw error
  } finally {
    await file[Symbol.asyncDispose]()
  }
}

/** Returns the call in the fields. Throws ApiError for every fault except one of the recording. */
function readFields<Call extends WorkCall>(
  exchange: Exchange<'catalog' | 'config'>,
  reader: BodyReader<Call>,
  { fields, admission }: { readonly fields: readonly FormField[]; readonly admission: Admission | undefined },
): Omit<AcceptedForm<Call>, 'audio' | 'bill'> {
  const body = toFormBody(reader.body, fields)
  const resolved = findServed(exchange, parseModelId(body), reader, admission)
  const call = reader.parse(body)
  requirePossible({ kind: reader.kind, request: call.request } as Work, resolved.entry.manifest)
  installedModel(resolved.entry)
  return { call, resolved }
}

/**
 * Returns the model that a request names if its type does this work, or without a name the only model that does.
 * Accepts Ollama's spelling of names too: programs that list models by Ollama's API use it below /v1. Throws ApiError
 * 400 or 404, and as `Admission.requireModel` does.
 */
export function findServed(
  { observer, services }: Exchange<'catalog' | 'config'>,
  modelId: string | undefined,
  { kind, endpoint, off }: Pick<BodyReader<unknown>, 'kind' | 'endpoint' | 'off'>,
  admission: Admission | undefined,
): ResolvedModel {
  const { modelTypes } = kindsOfWork[kind]
  const { catalog } = services
  if (off !== undefined && !catalog.entries().some(({ manifest }) => modelTypes.includes(manifest.type)))
    throw new ApiError('not_found', off, { code: 'not_supported' })
  const resolved =
    kind === 'moderate'
      ? findModerator(modelId, services)
      : modelId === undefined
        ? findOnlyModel(catalog, modelTypes)
        : findModelBySpelling(catalog, modelId)
  observer.model = resolved.entry.manifest.id
  requireType(resolved, modelTypes, endpoint)
  admission?.requireModel(resolved.entry.manifest.id)
  return resolved
}
