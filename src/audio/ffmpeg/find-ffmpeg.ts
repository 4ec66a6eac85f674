/**
 * Where the system's `ffmpeg` is; undefined where there is none. `programPath` is where to look, this process's own if it is
 * not given.
 */
export function findFfmpeg(programPath?: string | undefined): string | undefined {
  return Bun.which('ffmpeg', programPath === undefined ? {} : { PATH: programPath }) ?? undefined
}
