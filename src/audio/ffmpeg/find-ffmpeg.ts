/**
 * Returns the path of the system's `ffmpeg`; undefined if there is none. `programPath` defaults to this process's PATH.
 */
export function findFfmpeg(programPath?: string | undefined): string | undefined {
  return Bun.which('ffmpeg', programPath === undefined ? {} : { PATH: programPath }) ?? undefined
}
