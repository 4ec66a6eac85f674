import type { IdentifiedAudio } from '../container/identify-audio.ts'
import { invalidAudio } from '../invalid-audio.ts'
import { ffmpegWords } from './ffmpeg-words.ts'

/**
 * Limits that the system keeps: memory, processor time (should this server die, it ends by itself), no files, no core. The shell
 * becomes the program, so that one process is killed.
 */
const limits = 'ulimit -v 2097152 && ulimit -t 1800 && ulimit -f 0 && ulimit -c 0 && exec "$@"'

/** What the shell exits with when it cannot start the program, and the program when a library of its own is missing. */
const cannotStart = [126, 127]

const complaintsLimit = 8 * 1024

/**
 * Decodes a file by `ffmpeg` in a process of its own, which is killed when the signal aborts or the reader leaves. Yields
 * samples, and returns false where the program cannot be started. Throws `invalid_audio` where it gets nothing out of the file.
 * A file that is damaged or cut yields what there is.
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

/** The end of what is said, in characters; all of it is read, so that nobody waits for room in the pipe. */
async function lastText(stream: ReadableStream<Uint8Array>, limit: number): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const piece of stream) text = (text + decoder.decode(piece, { stream: true })).slice(-limit)
  return text
}

/** What is told of `ffmpeg`'s complaints; the first that matches counts. They name paths and addresses in its memory. */
const problems: readonly (readonly [complaint: RegExp, reason: string])[] = [
  [/matches no streams/, 'it has no audio track'],
  [/moov atom not found/, 'its index is missing, so it is cut short or damaged'],
  // A codec that is not on the whitelist can be that of a film's pictures.
  [/opening decoder|[Dd]ecoder .*not found/, 'its audio codec is not supported'],
  [/Rematrix is needed/, 'it has too many channels'],
  [/Cannot allocate memory/, 'it needs too much memory'],
]

/** Why `ffmpeg` made nothing of a file. */
function ffmpegProblem(complaints: string): string {
  return problems.find(([complaint]) => complaint.test(complaints))?.[1] ?? 'it is damaged or cut short'
}
