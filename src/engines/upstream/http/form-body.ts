import type { UpstreamFile, UpstreamForm } from './request.ts'
import type { RequestBody } from './request-body.ts'

/** A form as RFC 7578 describes it, its names escaped as browsers do. */
export function formBody({ fields, file }: UpstreamForm): RequestBody {
  const boundary = `inferd-${crypto.randomUUID()}`
  const encoder = new TextEncoder()
  const part = (disposition: string) => `--${boundary}\r\ncontent-disposition: form-data; ${disposition}\r\n`
  const texts = fields.map(([name, value]) => `${part(`name="${escaped(name)}"`)}\r\n${value}\r\n`)
  const fileHead = part(`name="${escaped(file.field)}"; filename="${escaped(file.name)}"`)
  const before = encoder.encode(`${texts.join('')}${fileHead}content-type: ${file.type}\r\n\r\n`)
  const after = encoder.encode(`\r\n--${boundary}--\r\n`)
  return {
    type: `multipart/form-data; boundary=${boundary}`,
    bytes: before.length + file.bytes + after.length,
    content: contentOf(before, file, after),
  }
}

async function* contentOf(before: Uint8Array, file: UpstreamFile, after: Uint8Array): AsyncGenerator<Uint8Array> {
  yield before
  let bytes = 0
  for await (const piece of file.content) {
    bytes += piece.length
    if (bytes > file.bytes) break
    yield piece
  }
  // Else what follows would be read as another request.
  if (bytes !== file.bytes) throw new Error(`the file to send does not have ${file.bytes} bytes`)
  yield after
}

function escaped(name: string): string {
  return name.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
}
