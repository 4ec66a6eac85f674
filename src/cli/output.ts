import { errorText } from '../core/error-text.ts'
import { CommandError, tryLaterExitCode } from './io.ts'

/** Errors of an output whose reader has ended, or whose terminal is closed. */
const leavingReaders: ReadonlySet<unknown> = new Set(['EPIPE', 'EIO'])

/** Standard output of this process, which may be closed by its reader or lie on a full disk. */
export class Output {
  readonly #closed = new AbortController()
  #written: Promise<void> = Promise.resolve()

  /** Aborts once the output takes no more. */
  get closed(): AbortSignal {
    return this.#closed.signal
  }

  /** Resolves once the output has taken the data. Rejects with the reason if it does not. */
  write(data: string | Uint8Array): Promise<void> {
    const written = new Promise<void>((resolve, reject) => {
      process.stdout.write(data, (error) => (error ? reject(error) : resolve()))
    })
    this.#written = written.catch((error) => this.#closed.abort(error))
    return written
  }

  /** Resolves once the output has taken all, or was closed by its reader. Throws CommandError if it could not. */
  async finish(): Promise<void> {
    await this.#written
    const { aborted, reason } = this.closed
    if (!aborted || leavingReaders.has(reason?.code)) return
    throw new CommandError(`the output cannot be written: ${errorText(reason)}`, { exitCode: tryLaterExitCode })
  }
}
