import type { Command } from 'commander'
import { type Io, wantsJson } from '../io.ts'
import { openDisplay } from '../pull/display.ts'

export interface ShownProgress extends Disposable {
  show(doneBytes: number, totalBytes: number): void
}

/** Shows the progress of a long command. Shows nothing with JSON output, which holds only the answer. */
export function showProgress(command: Command, io: Io, what: string): ShownProgress {
  if (wantsJson(command)) return { show: () => undefined, [Symbol.dispose]: () => undefined }
  const display = openDisplay(io, { isJson: false })
  let isBegun = false
  return {
    show(bytes, totalBytes) {
      if (!isBegun) display.begin(what, totalBytes)
      isBegun = true
      display.progress(what, { phase: 'download', name: what, bytes, totalBytes, rate: undefined })
    },
    [Symbol.dispose]: () => display.end(what),
  }
}
