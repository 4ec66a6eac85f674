/** Progress of a download in Ollama's API. */
import { Type } from '@sinclair/typebox'
import { type Download, progressOf } from '../../core/download.ts'
import { optionalAny, optionalFlag, optionalText } from '../check.ts'

/** Body of POST /api/pull. `name` is the older spelling, which many clients use. */
export const OllamaPullBody = Type.Object({
  model: Type.Optional(Type.String({ description: 'the id of a model of the catalog' })),
  name: optionalText,
  stream: optionalFlag,
  insecure: optionalAny,
})

export const OllamaDeleteBody = Type.Object({
  model: Type.Optional(Type.String({ description: 'the id of a model on this disk' })),
  name: optionalText,
})

export const pullSucceeded = { status: 'success' }

export const firstPullLine = toLine({ status: 'pulling manifest' })

/** Last lines of every download, even if nothing was fetched */
export const lastPullLines =
  toLine({ status: 'verifying sha256 digest' }) + toLine({ status: 'writing manifest' }) + toLine(pullSucceeded)

/**
 * Returns the lines that report a state of the download. `digest` is 64 hexadecimal digits that identify the download
 * to clients.
 */
export function toPullLines(download: Download, digest: string): string {
  if (download.state === 'done') return lastPullLines
  if (download.state === 'failed') return toLine({ error: `the download failed: ${download.error}` })
  if (download.state === 'cancelled') return toLine({ error: 'the download was cancelled' })
  const { doneBytes, totalBytes, open } = progressOf(download)
  const phase = open?.phase
  if (phase === 'verify') return toLine({ status: 'verifying sha256 digest' })
  if (phase === 'unpack' || phase === 'link') return toLine({ status: 'writing manifest' })
  const amounts = { total: totalBytes, ...(doneBytes > 0 && { completed: doneBytes }) }
  return toLine({ status: `pulling ${digest.slice(0, 12)}`, digest: `sha256:${digest}`, ...amounts })
}

function toLine(value: object): string {
  return `${JSON.stringify(value)}\n`
}
