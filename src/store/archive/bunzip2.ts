import { closeSync, openSync } from 'node:fs'
import { FileError } from '../../catalog/stat-file.ts'
import { within } from '../../core/within.ts'
import type { FromBunzip2, ToBunzip2 } from './bunzip2-worker.ts'

/** Time limit of a piece, far beyond any decoder's. */
const pieceWithinMs = 60_000
/** Decoded pieces that may wait to be taken. */
const waitingPieces = 8

/**
 * Yields the content of a bzip2 file, decoded by the system's `bzip2`, or else in a thread at half that speed. Leaving
 * the generator ends the decoder. Throws FileError if the file is damaged.
 */
export function bunzip2(path: string): AsyncGenerator<Uint8Array> {
  const program = Bun.which('bzip2', { PATH: '/usr/bin:/bin:/usr/local/bin' })
  return program === null ? bunzip2ByThread(path) : bunzip2ByProgram(path, program)
}

export async function* bunzip2ByProgram(path: string, program: string): AsyncGenerator<Uint8Array> {
  const descriptor = openSync(path, 'r')
  // The program reads from a descriptor, so that no file name is taken for an option. Its error messages are not for
  // people.
  const child = Bun.spawn([program, '-d', '-c'], { stdin: descriptor, stdout: 'pipe', stderr: 'ignore', env: {} })
  closeSync(descriptor)
  const reader = child.stdout.getReader()
  try {
    for (;;) {
      const { done, value } = await withinLimit(reader.read())
      if (done) break
      yield value
    }
    const exitCode = await withinLimit(child.exited)
    if (exitCode !== 0) throw new FileError(`is damaged or cut short: bzip2 cannot decode it (exit code ${exitCode})`)
  } finally {
    child.kill('SIGKILL')
    await child.exited
  }
}

export async function* bunzip2ByThread(path: string): AsyncGenerator<Uint8Array> {
  const worker = new Worker(programUrl())
  const credit = new Int32Array(new SharedArrayBuffer(4))
  credit[0] = waitingPieces
  const arrived: FromBunzip2[] = []
  let wake = () => {}
  const arrive = (message: FromBunzip2) => {
    arrived.push(message)
    wake()
  }
  worker.onmessage = ({ data }: MessageEvent<FromBunzip2>) => arrive(data)
  worker.onerror = ({ message }) => arrive({ type: 'failed', message })
  worker.postMessage({ path, credit } satisfies ToBunzip2)
  try {
    for (;;) {
      const next = arrived.shift()
      if (next === undefined) {
        await withinLimit(
          new Promise<void>((resolve) => {
            wake = resolve
          }),
        )
        continue
      }
      if (next.type === 'failed') throw new FileError(`is damaged or cut short: ${next.message}`)
      if (next.type === 'end') return
      Atomics.add(credit, 0, 1)
      Atomics.notify(credit, 0)
      yield next.piece
    }
  } finally {
    worker.terminate()
  }
}

function withinLimit<Value>(work: Promise<Value>): Promise<Value> {
  return within(work, pieceWithinMs, () => {
    throw new FileError('cannot be decoded: bzip2 does not go on')
  })
}

function programUrl(): string {
  const isEmbedded = import.meta.url.startsWith('file:///$bunfs/')
  return isEmbedded ? './store/archive/bunzip2-worker.ts' : new URL('./bunzip2-worker.ts', import.meta.url).href
}
