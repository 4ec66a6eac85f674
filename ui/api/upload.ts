/** Uploads with progress, which `fetch` cannot report. */
import { connectionLost } from './connection.ts'
import { noConnection, toFailure } from './failure.ts'
import { notePayer, payer, payerHeader } from './payer.ts'
import { signInAgain } from './signed-out.ts'
import { noteVersion } from './version.ts'

interface UploadOptions {
  /** Form, whose parts are sent in their order */
  readonly form: FormData
  readonly headers?: Readonly<Record<string, string>>
  readonly signal: AbortSignal
  readonly onSent: (sentBytes: number, totalBytes: number) => void
}

export interface Uploaded<Answer> {
  readonly answer: Answer
  readonly requestId: string
}

/** Sends a form and reads the JSON of its answer. Rejects as `request` does. */
export async function upload<Answer>(path: string, options: UploadOptions): Promise<Uploaded<Answer>> {
  for (;;) {
    const team = payer.value
    const paying = { ...options, headers: { ...options.headers, ...payerHeader(path, team) } }
    const { status, headers, body } = await send(path, paying)
    noteVersion({ headers })
    if (status >= 200 && status < 300) {
      return { answer: body as Answer, requestId: headers.get('x-request-id') ?? '' } // our own server's answer
    }
    const failure = toFailure(status, headers, body)
    notePayer(failure.facts, team)
    if (failure.facts.code !== 'not_signed_in') throw failure
    await signInAgain()
  }
}

interface Answered {
  readonly status: number
  readonly headers: Headers
  readonly body: unknown
}

function send(path: string, { form, headers = {}, signal, onSent }: UploadOptions): Promise<Answered> {
  const { promise, resolve, reject } = Promise.withResolvers<Answered>()
  const sending = new XMLHttpRequest()
  const abort = () => sending.abort()
  signal.addEventListener('abort', abort)
  sending.upload.onprogress = ({ loaded, total }) => onSent(loaded, total)
  sending.onload = () =>
    resolve({ status: sending.status, headers: headersOf(sending), body: parsed(sending.responseText) })
  sending.onabort = () => reject(signal.reason)
  sending.onerror = () => {
    connectionLost()
    reject(noConnection())
  }
  sending.onloadend = () => signal.removeEventListener('abort', abort)
  sending.open('POST', path)
  for (const [name, value] of Object.entries(headers)) sending.setRequestHeader(name, value)
  if (signal.aborted) reject(signal.reason)
  else sending.send(form)
  return promise
}

function headersOf(sending: XMLHttpRequest): Headers {
  const lines = sending.getAllResponseHeaders().trim().split('\r\n')
  return new Headers(lines.map((line) => line.split(/: (.*)/s).slice(0, 2) as [string, string]))
}

/** Parses JSON; undefined for anything else, as a proxy in front may answer. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
