import type { Spool, SpooledFile } from './spool.ts'

interface WriteOptions {
  /** Account whose spool quota the file counts against. */
  readonly accountId: string
  /** Keeps the file as long as the request runs. */
  readonly keep: (file: SpooledFile) => unknown
}

const pieceBytes = 1024 * 1024

/** Writes bytes to a file of the spool. Throws the errors of `Spool`. */
export async function writeBytes(
  spool: Pick<Spool, 'write'>,
  bytes: Uint8Array,
  { accountId, keep }: WriteOptions,
): Promise<SpooledFile> {
  const file = await spool.write(piecesOf(bytes), { accountId })
  keep(file)
  return file
}

/** Writes bytes to a file of the spool, and frees their memory at once. Throws the signal's reason too. */
export async function moveBytes(
  spool: Pick<Spool, 'write'>,
  bytes: Uint8Array<ArrayBuffer>,
  { signal, ...options }: WriteOptions & { readonly signal: AbortSignal },
): Promise<SpooledFile> {
  signal.throwIfAborted()
  const file = await writeBytes(spool, bytes, options)
  bytes.buffer.transfer(0)
  return file
}

async function* piecesOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes)
}
