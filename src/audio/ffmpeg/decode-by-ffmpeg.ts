import type { IdentifiedAudio } from '../container/identify-audio.ts'
import { invalidAudio } from '../invalid-audio.ts'
import { ffmpegWords } from './ffmpeg-words.ts'

/**
 * Shell command that sets limits: memory, processor time (so it ends even if this server dies), no files, no core. The
 * shell execs the program, so that killing one process suffices.
 */
const limits = 'ulimit -v 2097152 && ulimit -t 1800 && ulimit -f 0 && ulimit -c 0 && exec "$@"'

/** Exit codes of a shell that cannot start the program, and of a program without one of its libraries. */
const cannotStart = [126, 127]

const complaintsLimit = 8 * 1024

/**
 * Decodes a file by an `ffmpeg` process, which is killed when the signal aborts or the caller stops early. Yields
 * samples; the readable part of a damaged or cut file. Returns false if the program cannot be started. Throws
 * `invalid_audio` if it decodes nothing.
 */
export async function* decodeByFfmpeg(
  program: string,
  { path, container }: Pick<IdentifiedAudio, 'container'> & { readonly path: string },
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, boolean> {
  signal.throwIfAborted()
  const child = Bun.spawn(['/bin/sh', '-c', limits, 'sh', program, ...ffmpegWords(path, container)], {
    env: {},
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const kill = () => child.kill('SIGKILL')
  signal.addEventListener('abort', kill)
  const complaints = lastText(child.stderr, complaintsLimit)
  let isEmpty = true
  try {
    for await (const piece of child.stdout) {
      isEmpty = false
      yield piece
    }
    const exitCode = await child.exited
    signal.throwIfAborted()
    if (isEmpty && cannotStart.includes(exitCode)) return false
    if (child.signalCode !== null) throw invalidAudio('the decoder failed', undefined, await complaints)
    if (isEmpty) throw invalidAudio(ffmpegProblem(await complaints), undefined, await complaints)
    return true
  } finally {
    signal.removeEventListener('abort', kill)
    kill()
    await child.exited
  }
}

/** Returns the last characters of a stream. Reads all of it, so that the pipe never fills up. */
async function lastText(stream: ReadableStream<Uint8Array>, limit: number): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const piece of stream) text = (text + decoder.decode(piece, { stream: true })).slice(-limit)
  return text
}

/** Explanations of `ffmpeg`'s complaints, which name paths and memory addresses. The first match counts. */
const problems: readonly (readonly [complaint: RegExp, reason: string])[] = [
  [/matches no streams/, 'it has no audio track'],
  [/moov atom not found/, 'its index is missing, so it is cut short or damaged'],
  // A codec that is not on the whitelist may be a video codec.
  [/opening decoder|[Dd]ecoder .*not found/, 'its audio codec is not supported'],
  [/Rematrix is needed/, 'it has too many channels'],
  [/Cannot allocate memory/, 'it needs too much memory'],
]

/** Returns why `ffmpeg` decoded nothing from a file. */
function ffmpegProblem(complaints: string): string {
  return problems.find(([complaint]) => complaint.test(complaints))?.[1] ?? 'it is damaged or cut short'
}
