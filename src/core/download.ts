/** Downloads of models. Log lines, pages, commands and answers show projections of their records. Pure. */

export const downloadPhases = ['resolve', 'wait', 'download', 'verify', 'unpack', 'link'] as const
export type DownloadPhase = (typeof downloadPhases)[number]

export interface FileProgress {
  /** Current phase. `wait`: another process downloads the same file, and the numbers are that process's. */
  readonly phase: DownloadPhase
  /** Name of the file in its plan. */
  readonly name: string
  /** Bytes done in this phase. 100 % of `verify` ends the download. */
  readonly bytes: number
  readonly totalBytes: number | undefined
  /** Bytes per second over the last seconds. Undefined while none arrive. */
  readonly rate: number | undefined
  /** Reason for a stall, and the reaction to it. Absent while all is well. */
  readonly trouble?: string | undefined
}

export type OnProgress = (progress: FileProgress) => void

export type Download = DownloadFacts & DownloadStage

interface DownloadFacts {
  readonly model: string
  /** Start of the download in milliseconds, by the caller's clock. */
  readonly startedMs: number
  /** Bytes left to fetch at the start, as far as known. */
  readonly missingBytes: number
  /** Last progress of each file by its name. */
  readonly files: ReadonlyMap<string, FileProgress>
}

type DownloadStage = { readonly state: 'running' } | DownloadEnd

/** End of a download at `endedMs`. `error`: reason of the failure. */
export type DownloadEnd =
  | { readonly state: 'done' | 'cancelled'; readonly endedMs: number }
  | { readonly state: 'failed'; readonly endedMs: number; readonly error: string }

export function newDownload(facts: Omit<DownloadFacts, 'files'>): Download {
  return { ...facts, files: new Map(), state: 'running' }
}

export function withProgress(download: Download, progress: FileProgress): Download {
  return { ...download, files: new Map(download.files).set(progress.name, progress) }
}

/** Progress of all files of a download together. */
interface DownloadProgress {
  readonly doneBytes: number
  readonly totalBytes: number
  /** Bytes per second. Undefined while none arrive, and after the end. */
  readonly rate: number | undefined
  /** File in progress. Undefined before the first file, and after the end. */
  readonly open: FileProgress | undefined
}

export function progressOf({ files: byName, missingBytes, state }: Download): DownloadProgress {
  const files = [...byName.values()]
  const doneBytes = files.reduce((sum, file) => sum + downloadedBytes(file), 0)
  const totalBytes = Math.max(missingBytes, doneBytes)
  if (state !== 'running') return { doneBytes, totalBytes, rate: undefined, open: undefined }
  const rate = files.reduce((sum, file) => sum + (file.phase === 'download' ? (file.rate ?? 0) : 0), 0)
  const open =
    files.find(({ phase }) => phase === 'download') ?? files.findLast(({ bytes, totalBytes: end }) => bytes !== end)
  return { doneBytes, totalBytes, rate: rate === 0 ? undefined : rate, open }
}

/** Returns downloaded bytes. A file being verified is downloaded. */
function downloadedBytes({ phase, bytes, totalBytes = 0 }: FileProgress): number {
  if (phase === 'download' || phase === 'wait') return bytes
  return phase === 'resolve' ? 0 : totalBytes
}

/** Returns the reason of a failed download. */
export function downloadError(download: Download): string | undefined {
  return download.state === 'failed' ? download.error : undefined
}
