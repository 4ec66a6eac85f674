import { FileError } from '../../catalog/stat-file.ts'
import { ContentError } from '../../store/download/check-content.ts'
import { DiskFullError } from '../../store/download/disk-error.ts'
import { PlanError } from '../../store/sources/plan-files.ts'
import { WebError } from '../../store/web/web-error.ts'
import { CommandError, tryLaterExitCode } from '../io.ts'

export const stoppedText = 'stopped; what was downloaded is kept: run the same command again to go on'

/** Returns a failure as a command error. Temporary failures have a separate exit code. */
export function pullFailure(error: unknown): unknown {
  if (error instanceof WebError && error.kind !== 'final') {
    const advice = 'what was downloaded is kept: run the same command again later'
    return new CommandError(`${error.message}; ${advice}`, { exitCode: tryLaterExitCode })
  }
  if (error instanceof DiskFullError) return new CommandError(error.message, { exitCode: tryLaterExitCode })
  if (error instanceof Error && 'code' in error && (error.code === 'ENOSPC' || error.code === 'EDQUOT'))
    return new CommandError('the disk is full; make room and run the same command again', {
      exitCode: tryLaterExitCode,
    })
  if (error instanceof Error && 'code' in error && error.code === 'EROFS')
    return new CommandError(`${error.message}; choose a folder that can be written to by --data`)
  if (error instanceof PlanError && error.onCommandLine !== undefined)
    return new CommandError(`${error.message} (${error.onCommandLine})`)
  const isExpected = [WebError, PlanError, ContentError, FileError].some((kind) => error instanceof kind)
  return isExpected && error instanceof Error ? new CommandError(error.message) : error
}
