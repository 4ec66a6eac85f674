/** Forms (`multipart/form-data`) with one file, which goes on while it arrives. */
import type { Readable } from 'node:stream'
import { Busboy, type BusboyInstance } from '@fastify/busboy'
import { ApiError } from '../../core/errors.ts'
import { invalidValue } from '../../wire/check.ts'
import type { FormField } from '../../wire/form-body.ts'
import { bodyTooLarge, bodyTooSlow, requirePlain } from './read-body.ts'

export interface FormBounds<Received> {
  /** Name of the field that is a file. */
  readonly file: string
  /** Of the whole body, whatever the headers claim. */
  readonly limitBytes: number
  /** From now until the last byte. */
  readonly timeoutMs: number
  /** Longest time without a byte. */
  readonly silenceMs: number
  /** Takes the file, and the fields that precede it. No more of the form is read than it takes; what it throws ends the reading. */
  readonly receive: (file: AsyncIterable<Uint8Array>, fields: readonly FormField[]) => Promise<Received>
}

export interface ReceivedForm<Received> {
  readonly fields: readonly FormField[]
  /** Undefined: the form has no file. */
  readonly file: Received | undefined
}

/** Of one field. */
const fieldLimitBytes = 64 * 1024
const fieldLimit = 100

/**
 * Reads a form. Throws ApiError 400, 408, 413 or 415, what `receive` throws, or the request's reason when the client
 * disconnects; `receive` has ended by then, and the rest of the form is not read.
 */
export async function readForm<Received>(
  request: Request,
  bounds: FormBounds<Received>,
): Promise<ReceivedForm<Received>> {
  const parser = openParser(request, bounds)
  const { signal } = request
  if (Number(request.headers.get('content-length') ?? Number.NaN) > bounds.limitBytes)
    throw bodyTooLarge(bounds.limitBytes)
  if (request.body === null) throw invalidForm('The body is empty.')
  const reader = request.body.getReader()
  const fields: FormField[] = []
  let file: Readable | undefined
  let receiving: Promise<Received> | undefined
  let problem: { readonly error: unknown } | undefined
  /** Ends the wait for the parser. */
  let wake = (): void => undefined
  const abandon = (error: unknown) => {
    problem ??= { error }
    // It rejects where the client is gone already.
    reader.cancel().catch(() => undefined)
    file?.destroy(new Error('the form is abandoned'))
    wake()
  }
  const total = setTimeout(() => abandon(bodyTooSlow(bounds.timeoutMs)), bounds.timeoutMs)
  const silence = setTimeout(() => abandon(bodyTooSlow(bounds.silenceMs)), bounds.silenceMs)
  const abort = () => abandon(signal.reason)
  signal.addEventListener('abort', abort)

  parser.on('error', (error) => abandon(invalidForm('The body is not a form as its content-type says.', error)))
  for (const limit of ['fieldsLimit', 'partsLimit'] as const) {
    parser.on(limit, () => abandon(invalidForm(`The form has more than ${fieldLimit} fields.`)))
  }
  parser.on('field', (name: string | undefined, value, _, isCut) => {
    if (name === undefined) abandon(invalidForm('A field of the form has no name.'))
    else if (isCut) abandon(invalidValue(name, `at most ${fieldLimitBytes} bytes long`))
    else fields.push([name, value])
  })
  parser.on('file', (name: string | undefined, stream: Readable) => {
    // Who reads the file hears of its errors too.
    stream.on('error', () => undefined)
    if (name !== bounds.file) return abandon(invalidValue(name ?? '', `text: the file of the form is '${bounds.file}'`))
    if (receiving !== undefined) return abandon(invalidValue(name, 'one file'))
    file = stream
    receiving = bounds.receive(stream, fields)
    receiving.catch(abandon)
  })

  const parsed = async (step: (done: () => void) => void) => {
    await new Promise<void>((resolve) => {
      wake = resolve
      step(resolve)
    })
    if (problem !== undefined) throw problem.error
  }
  try {
    signal.throwIfAborted()
    let totalBytes = 0
    while (true) {
      const piece = await reader.read()
      silence.refresh()
      if (problem !== undefined || piece.done) break
      totalBytes += piece.value.length
      if (totalBytes > bounds.limitBytes) throw bodyTooLarge(bounds.limitBytes)
      await parsed((done) => parser.write(piece.value, () => done()))
    }
    await parsed((done) => parser.once('finish', done).end())
    return { fields, file: await receiving }
  } catch (error) {
    abandon(signal.aborted ? signal.reason : error)
    await receiving?.catch(() => undefined)
    throw problem?.error
  } finally {
    clearTimeout(total)
    clearTimeout(silence)
    signal.removeEventListener('abort', abort)
  }
}

function openParser<Received>({ headers }: Request, { file }: FormBounds<Received>): BusboyInstance {
  requirePlain(headers.get('content-encoding'))
  const type = headers.get('content-type') ?? ''
  if (!/^multipart\/form-data\s*;/i.test(type)) {
    throw invalidForm(`The body must be a form: send it as multipart/form-data, with '${file}' as a file.`)
  }
  try {
    return new Busboy({
      headers: { 'content-type': type },
      limits: {
        fieldSize: fieldLimitBytes,
        fields: fieldLimit,
        parts: fieldLimit + 2,
        headerPairs: 20,
        headerSize: 8192,
      },
      // Some clients give the file neither a type nor a name of its own.
      isPartAFile: (name, _, filename) => name === file || filename !== undefined,
    })
  } catch (error) {
    throw invalidForm('The content-type of a form must name its boundary.', error)
  }
}

function invalidForm(message: string, cause?: unknown): ApiError {
  return new ApiError('invalid_request', message, { code: 'invalid_form', cause })
}
