import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DiskFullError } from '../../src/store/download/disk-error.ts'
import { randomBytes, startTestDownloads, testChunkBytes } from '../../src/testing/downloads.ts'
import { sha256Of } from '../../src/testing/fake-hub/fake-hub.ts'

export interface FullDiskReport {
  readonly disks: number
  /** Downloads that a full disk ended. */
  readonly refused: number
}

const fileBytes = 12 * testChunkBytes + 777
const diskBytes = 2 * fileBytes

/** Downloads to small file systems with space for some pages less or more than the file needs. Needs root. */
export async function fillDisks(): Promise<FullDiskReport> {
  const report = { disks: 0, refused: 0 }
  if (process.getuid?.() !== 0) return report
  await using downloads = await startTestDownloads()
  const content = randomBytes(fileBytes)
  downloads.hub.put('org/repo', 'model.bin', content)
  const folder = mkdtempSync(join(tmpdir(), 'inferd-full-'))
  const target = join(folder, 'model.bin')
  const fetchFile = () =>
    downloads
      .downloader()
      .download(downloads.planned(), target, { signal: AbortSignal.timeout(60_000), onProgress: () => undefined })
  try {
    for (let free = 0; free <= fileBytes + 12 * 4096; free += free < fileBytes - 8192 ? 65_536 : 4096) {
      run('mount', '-t', 'tmpfs', '-o', `size=${diskBytes}`, 'tmpfs', folder)
      try {
        writeFileSync(join(folder, 'other'), new Uint8Array(diskBytes - free))
        report.disks++
        const error = await fetchFile().then(
          () => undefined,
          (reason: unknown) => reason,
        )
        if (error !== undefined && !(error instanceof DiskFullError)) throw error
        if (error !== undefined) report.refused++
        if (error !== undefined && existsSync(target)) throw new Error(`with ${free} bytes free a part is in place`)
        rmSync(join(folder, 'other'))
        await fetchFile()
        if (sha256Of(readFileSync(target)) !== sha256Of(content)) throw new Error('a wrong file is in place')
      } finally {
        run('umount', folder)
      }
    }
    return report
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function run(...words: string[]): void {
  const { exitCode, stderr } = Bun.spawnSync(words)
  if (exitCode !== 0) throw new Error(`${words.join(' ')}: ${stderr.toString()}`)
}
