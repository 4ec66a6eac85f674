import { connect, type Socket } from 'node:net'
import type { UploadCase } from './cases.ts'

export interface UploadTarget {
  readonly port: number
  readonly apiKey: string
  readonly model: string
}

export interface Uploaded {
  /** Status. 0 if the connection ended without an answer. */
  readonly status: number
  readonly code: string
  readonly seconds: number
}

const boundary = 'inferd-attack'
const pieceBytes = 256 * 1024

/**
 * Sends one form over a plain connection. `reached` resolves at the moment of disconnection, if that is neither during
 * the upload nor at the start of the answer.
 */
export async function upload(
  target: UploadTarget,
  attack: UploadCase,
  reached: (moment: 'decoding' | 'computing') => Promise<void>,
): Promise<Uploaded> {
  const beginMs = performance.now()
  const socket = connect({ host: '127.0.0.1', port: target.port })
  let answer = ''
  const over = Promise.withResolvers<void>()
  socket.on('data', (bytes: Buffer) => {
    if (answer.length < 65_536) answer += bytes.toString('latin1')
    if (attack.disconnectsAt === 'answer' ? answer.includes('\ndata: ') : isWhole(answer)) over.resolve()
  })
  for (const event of ['end', 'close', 'error']) socket.on(event, () => over.resolve())
  const { disconnectsAt } = attack
  if (disconnectsAt === 'decoding' || disconnectsAt === 'computing') void reached(disconnectsAt).then(over.resolve)
  await send(socket, bodyOf(target, attack), target, attack, over.promise)
  if (disconnectsAt === 'upload') over.resolve()
  await over.promise
  socket.destroy()
  return {
    status: Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1] ?? 0),
    code: /"code":\s*"(\w+)"/.exec(answer)?.[1] ?? '',
    seconds: (performance.now() - beginMs) / 1000,
  }
}

function isWhole(answer: string): boolean {
  const [head = '', ...body] = answer.split('\r\n\r\n')
  const length = /^content-length: (\d+)/im.exec(head)?.[1]
  return length !== undefined && body.join('\r\n\r\n').length >= Number(length)
}

function bodyOf({ model }: UploadTarget, { file, fileName = 'audio.wav', fields = [] }: UploadCase): Buffer {
  const part = (disposition: string, content: Uint8Array | string) =>
    Buffer.concat([
      Buffer.from(`--${boundary}\r\ncontent-disposition: form-data; ${disposition}\r\n\r\n`),
      Buffer.from(content as string),
      Buffer.from('\r\n'),
    ])
  return Buffer.concat([
    ...[['model', model] as const, ...fields].map(([name, value]) => part(`name="${name}"`, value)),
    part(`name="file"; filename="${fileName}"`, file()),
    Buffer.from(`--${boundary}--\r\n`),
  ])
}

/** Sends the request until it is complete, the connection ends, or the case stops sending. */
async function send(
  socket: Socket,
  body: Buffer,
  { apiKey }: UploadTarget,
  { sendsLength = false, stalls = false, disconnectsAt }: UploadCase,
  over: Promise<void>,
): Promise<void> {
  const head = [
    'POST /v1/audio/transcriptions HTTP/1.1',
    'host: 127.0.0.1',
    `authorization: Bearer ${apiKey}`,
    `content-type: multipart/form-data; boundary=${boundary}`,
    sendsLength ? `content-length: ${body.length}` : 'transfer-encoding: chunked',
  ]
  socket.write([...head, '', ''].join('\r\n'))
  const end = stalls || disconnectsAt === 'upload' ? body.length / 2 : body.length
  let isOver = false
  void over.then(() => {
    isOver = true
  })
  for (let at = 0; at < end && !isOver; at += pieceBytes) {
    const piece = body.subarray(at, Math.min(end, at + pieceBytes))
    const isTaken = sendsLength
      ? socket.write(piece)
      : socket.write(Buffer.concat([Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from('\r\n')]))
    if (isTaken) continue
    await Promise.race([over, new Promise((resolve) => socket.once('drain', resolve))])
  }
  if (!sendsLength && !isOver && end === body.length) socket.write('0\r\n\r\n')
}
