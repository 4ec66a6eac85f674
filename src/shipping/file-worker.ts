/** Program of the thread that writes the records file: a disk that hangs holds up nothing but this thread. */
import { errorText } from '../core/error-text.ts'
import { RecordsFile, type RecordsFileOptions } from './records-file.ts'

/** The first task names the file. */
export type FileTask =
  | { readonly type: 'begin'; readonly options: Omit<RecordsFileOptions, 'clock'> }
  | { readonly type: 'last-audit-id' }
  | { readonly type: 'append'; readonly lines: string; readonly isFlushed: boolean }
  | { readonly type: 'check' }
  | { readonly type: 'reopen' }
  | { readonly type: 'close' }

export type FileAnswer = { readonly auditId: number | undefined } | { readonly problem: string }

declare const self: Worker

let file: RecordsFile | undefined

self.onmessage = ({ data }: MessageEvent<FileTask>) => self.postMessage(answer(data))

function answer(task: FileTask): FileAnswer {
  try {
    return { auditId: perform(task) }
  } catch (error) {
    return { problem: errorText(error) }
  }
}

function perform(task: FileTask): number | undefined {
  if (task.type === 'begin') file = new RecordsFile({ ...task.options, clock: Date.now })
  if (task.type === 'last-audit-id') return file?.lastAuditId()
  if (task.type === 'append') file?.append(task.lines, task)
  if (task.type === 'check') file?.check()
  if (task.type === 'reopen') file?.reopen()
  if (task.type === 'close') file?.close()
  return undefined
}
