/** Forms (`multipart/form-data`) with one file, which is passed on as it arrives. */
import type { Readable } from 'node:stream'
import { Busboy, type BusboyInstance } from '@fastify/busboy'
import { ApiError } from '../../core/errors.ts'
import { invalidValue } from '../../wire/check.ts'
import type { FormField } from '../../wire/form-body.ts'
import { bodyTooLarge, bodyTooSlow, requirePlain } from './read-body.ts'

export interface FormBounds<Received> {
  /** Name of the file's field. */
  readonly file: string
  /** Most bytes of the whole body, even if the headers claim fewer. */
  readonly limitBytes: number
  /** Time from now until the last byte. */
  readonly timeoutMs: number
  /** Longest time without a byte. */
  readonly silenceMs: number
  /**
   * Takes the file and the fields before it. The form is read only as fast as the file is taken; an error ends the
   * reading.
   */
  readonly receive: (file: AsyncIterable<Uint8Array>, fields: readonly FormField[]) => Promise<Received>
}

interface ReceivedForm<Received> {
  readonly fields: readonly FormField[]
  /** Undefined if the form has no file. */
  readonly file: Received | undefined
}

/** Hint for clients that set the header themselves, which most get wrong. */
const advice = 'Leave both to your HTTP library.'

/** Most bytes of one field. */
const fieldLimitBytes = 64 * 1024
const fieldLimit = 100

/**
 * Reads a form. Throws ApiError 400, 408, 413 or 415, errors of `receive`, or the request's reason if the client
 * disconnects. By then `receive` has ended; the rest of the form is not read.
 */
export async function readForm<Received>(
  request: Request,
  bounds: FormBounds<Received>,
): Promise<ReceivedForm<Received>> {
  const parser = openParser(request, bounds.file)
  const declaredBytes = Number(request.headers.get('content-length') ?? Number.NaN)
  if (declaredBytes > bounds.limitBytes) throw bodyTooLarge(bounds.limitBytes)
  if (request.body === null) throw invalidForm('The body is empty.')
  return await new FormReading(request.body, parser, bounds).read(request.signal)
}

class FormReading<Received> {
  // Untyped here, because two libraries declare different types for it.
  readonly #reader
  readonly #parser: BusboyInstance
  readonly #bounds: FormBounds<Received>
  readonly #fields: FormField[] = []
  #file: Readable | undefined
  #receiving: Promise<Received> | undefined
  /** Reason for abandoning the form. */
  #problem: { readonly error: unknown } | undefined
  /** Ends the wait for the parser. */
  #wake = (): void => undefined

  constructor(body: ReadableStream<Uint8Array>, parser: BusboyInstance, bounds: FormBounds<Received>) {
    this.#reader = body.getReader()
    this.#parser = parser
    this.#bounds = bounds
    parser.on('field', (name, text, _, isCut) => this.#takeField(name, text, isCut))
    parser.on('file', (name, file) => this.#takeFile(name, file))
    parser.on('fieldsLimit', () => this.#abandon(tooManyFields()))
    parser.on('partsLimit', () => this.#abandon(tooManyFields()))
    parser.on('error', (error) =>
      this.#abandon(
        invalidForm(`The body is not a whole form with the boundary of its content-type. ${advice}`, error),
      ),
    )
  }

  async read(signal: AbortSignal): Promise<ReceivedForm<Received>> {
    const { timeoutMs } = this.#bounds
    const timer = setTimeout(() => this.#abandon(bodyTooSlow(timeoutMs)), timeoutMs)
    const abort = () => this.#abandon(signal.reason)
    signal.addEventListener('abort', abort)
    try {
      signal.throwIfAborted()
      await this.#feed()
      return { fields: this.#fields, file: await this.#receiving }
    } catch (error) {
      this.#abandon(signal.aborted ? signal.reason : error)
      await this.#receiving?.catch(() => undefined)
      throw this.#problem?.error
    } finally {
      clearTimeout(timer)
      signal.removeEventListener('abort', abort)
    }
  }

  /** Feeds the parser piece by piece, each once the previous one is parsed and the file so far is taken. */
  async #feed(): Promise<void> {
    const { limitBytes, silenceMs } = this.#bounds
    const silence = setTimeout(() => this.#abandon(bodyTooSlow(silenceMs)), silenceMs)
    let totalBytes = 0
    try {
      // Reading an abandoned body ends by itself.
      for (let piece = await this.#reader.read(); !piece.done; piece = await this.#reader.read()) {
        silence.refresh()
        totalBytes += piece.value.length
        if (totalBytes > limitBytes) throw bodyTooLarge(limitBytes)
        const { value } = piece
        await this.#parsed((done) => this.#parser.write(value, () => done()))
      }
    } finally {
      clearTimeout(silence)
    }
    await this.#parsed((done) => this.#parser.once('finish', done).end())
  }

  /** Waits for the parser. Throws the reason if the form is abandoned. */
  async #parsed(step: (done: () => void) => void): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#wake = resolve
      if (this.#problem === undefined) step(resolve)
      else resolve()
    })
    if (this.#problem !== undefined) throw this.#problem.error
  }

  #takeField(name: string | undefined, text: string, isCut: boolean): void {
    if (name === undefined) this.#abandon(invalidForm('A field of the form has no name.'))
    else if (isCut) this.#abandon(invalidValue(name, `at most ${fieldLimitBytes} bytes long`))
    else this.#fields.push([name, text])
  }

  #takeFile(name: string | undefined, file: Readable): void {
    // The file's reader receives its errors too.
    file.on('error', () => undefined)
    const wanted = this.#bounds.file
    if (name !== wanted) this.#abandon(invalidValue(name ?? '', `text: the file of the form is '${wanted}'`))
    else if (this.#receiving !== undefined) this.#abandon(invalidValue(name, 'one file'))
    else {
      this.#file = file
      this.#receiving = this.#bounds.receive(file, this.#fields)
      this.#receiving.catch((error: unknown) => this.#abandon(error))
    }
  }

  /** Abandons the form. The first reason counts. */
  #abandon(error: unknown): void {
    this.#problem ??= { error }
    // Rejects if the client is already gone.
    this.#reader.cancel().catch(() => undefined)
    this.#file?.destroy(new Error('the form is abandoned'))
    this.#wake()
  }
}

function openParser({ headers }: Request, file: string): BusboyInstance {
  requirePlain(headers.get('content-encoding'))
  const type = headers.get('content-type') ?? ''
  if (!/^multipart\/form-data\s*(;|$)/i.test(type)) {
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
      // Some clients give the file neither a type nor a name.
      isPartAFile: (name, _, filename) => name === file || filename !== undefined,
    })
  } catch (error) {
    throw invalidForm(`The content-type of a form must name its boundary. ${advice}`, error)
  }
}

function tooManyFields(): ApiError {
  return invalidForm(
    `The form has more than ${fieldLimit} fields. Send a list as one field, with commas or as a JSON array.`,
  )
}

function invalidForm(message: string, cause?: unknown): ApiError {
  return new ApiError('invalid_request', message, { code: 'invalid_form', cause })
}
