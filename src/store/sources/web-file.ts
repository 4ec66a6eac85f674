import { askThrough, type Network, NetworkError, shownAddress } from '../network/network.ts'

/** What a server says of a file before it is fetched. */
export interface FileFacts {
  /** Undefined where the server does not say. */
  readonly bytes: number | undefined
  readonly sha256: string | undefined
  readonly gitBlobSha1?: string | undefined
  readonly commit?: string | undefined
}

/** Asks for a file's size. Throws NetworkError where there is no such file. */
export async function webFileFacts(network: Network, file: URL, signal: AbortSignal): Promise<FileFacts> {
  const { answer, address } = await askThrough(network, file, { method: 'HEAD', signal })
  if (!answer.ok) throw refusal(address, answer)
  if (/^text\/html/i.test(answer.headers.get('content-type') ?? '')) {
    const problem = `${shownAddress(address)} is a page for people, not a file: name the address of the file itself`
    throw new NetworkError(problem, { isTemporary: false })
  }
  return { bytes: lengthIn(answer.headers.get('content-length')), sha256: undefined }
}

/** The JSON at an address, at most 64 MB of it, and the answer's headers. Throws NetworkError, of a refusal what `refused` makes. */
export async function readJson(
  network: Network,
  at: URL,
  { signal, refused = refusal }: { readonly signal: AbortSignal; readonly refused?: typeof refusal },
): Promise<{ readonly value: unknown; readonly headers: Headers }> {
  const { answer, address } = await askThrough(network, at, { headers: { accept: 'application/json' }, signal })
  if (!answer.ok) throw refused(address, answer)
  const text = await readAtMost(answer, 64 * 1024 * 1024, address)
  try {
    return { value: JSON.parse(text), headers: answer.headers }
  } catch {
    throw new NetworkError(`${shownAddress(address)} did not answer with JSON`, { isTemporary: false })
  }
}

async function readAtMost({ body }: Response, maximumBytes: number, address: URL): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  let bytes = 0
  for await (const piece of body ?? []) {
    bytes += piece.length
    if (bytes > maximumBytes)
      throw new NetworkError(`${shownAddress(address)} answers without end`, { isTemporary: false })
    text += decoder.decode(piece, { stream: true })
  }
  return text + decoder.decode()
}

/** Whether asking again later may help. */
export function isTemporaryStatus(status: number): boolean {
  return status === 408 || status === 425 || status === 429 || status >= 500
}

export function refusal(address: URL, { status, headers }: Response): NetworkError {
  const later = headers.get('retry-after')
  const when = later === null || !/^\d+$/.test(later) ? '' : `; try again in ${later} s`
  return new NetworkError(`${shownAddress(address)} answered ${status}${when}`, {
    isTemporary: isTemporaryStatus(status),
  })
}

/** A length in a header. */
export function lengthIn(text: string | null): number | undefined {
  return text !== null && /^\d{1,16}$/.test(text) && Number.isSafeInteger(Number(text)) ? Number(text) : undefined
}
