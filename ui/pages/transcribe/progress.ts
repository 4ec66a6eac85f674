/** Progress of a transcription, which the server reports before the answer. */
import type { Progress } from '../../../src/wire/pages/progress.ts'
import { retryDelayMs } from '../../api/connection.ts'
import { respond } from '../../api/request.ts'
import { ServerEventParser } from '../../api/sse-parser.ts'
import { positionText } from '../../parts/time-text.ts'
import { texts } from '../../texts/texts.ts'

export interface Upload {
  readonly sentBytes: number
  readonly totalBytes: number
}

/** Returns 128 random bits. `crypto.randomUUID` is missing over plain http. */
export function newProgressId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** Follows the progress until `signal` aborts. Failures are ignored: the answer does not depend on it. */
export async function followProgress(
  id: string,
  signal: AbortSignal,
  onProgress: (progress: Progress) => void,
): Promise<void> {
  for (let attempt = 0; !signal.aborted; attempt += 1) {
    try {
      const response = await respond(`/dashboard/api/progress/${id}`, { signal, isForGuests: true })
      const parser = new ServerEventParser()
      const decoder = new TextDecoder()
      for await (const bytes of response.body ?? []) {
        for (const { event, data } of parser.push(decoder.decode(bytes, { stream: true }))) {
          if (event === 'progress') onProgress(JSON.parse(data) as Progress) // our own server's event
        }
      }
    } catch {
      // The loop tries again while the transcription runs.
    }
    await new Promise((resolve) => setTimeout(resolve, retryDelayMs(attempt)))
  }
}

/** Returns the progress as text and, where known, the finished share, 0 to 1. */
export function progressShown(
  upload: Upload,
  progress: Progress | undefined,
): { readonly text: string; readonly share: number | undefined } {
  const { sentBytes, totalBytes } = upload
  if (sentBytes < totalBytes || totalBytes === 0) {
    const share = totalBytes === 0 ? 0 : sentBytes / totalBytes
    return { text: texts.transcribe.uploading(megabytes(sentBytes), megabytes(totalBytes)), share }
  }
  const { phase = 'waiting', done_s: done = 0, total_s: total = null, position = null } = progress ?? {}
  const words = texts.transcribe.phases[phase]
  if (position !== null && position > 0) return { text: texts.transcribe.before(words, position), share: undefined }
  if (phase !== 'transcribing' || total === null || total === 0) return { text: words, share: undefined }
  const text = texts.transcribe.ofTotal(words, positionText(done), positionText(total))
  return { text, share: Math.min(1, done / total) }
}

const megabyte = 1024 * 1024

/** Returns text such as 12.3 MB, in the units of the upload limit. */
export function megabytes(bytes: number): string {
  return `${(bytes / megabyte).toLocaleString('en', { maximumFractionDigits: bytes < 10 * megabyte ? 1 : 0 })} MB`
}
