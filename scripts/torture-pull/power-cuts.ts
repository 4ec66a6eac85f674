import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { randomBytes, startTestDownloads, testChunkBytes } from '../../src/testing/downloads.ts'
import { sha256Of } from '../../src/testing/fake-hub/fake-hub.ts'
import { LossyDisk, PowerLost } from '../../src/testing/lossy-disk.ts'

export interface PowerCutReport {
  readonly cuts: number
  /** Completed downloads, each of which is right, even after a last cut. */
  readonly whole: number
  /** Cuts after which the next start continued with a part. */
  readonly resumed: number
}

const fileBytes = 12 * testChunkBytes + 777
/** Steps of a download, which few downloads exceed. */
const stepLimit = 70

/**
 * Cuts the power of downloads at random steps, for some repeatedly, until each is complete. Throws if a wrong file is
 * in place, or if a complete one does not survive.
 */
export async function cutPower(cuts: number, random: () => number = Math.random): Promise<PowerCutReport> {
  await using downloads = await startTestDownloads()
  const { hub, planned, downloader } = downloads
  const content = randomBytes(fileBytes)
  hub.put('org/repo', 'model.bin', content)
  const sum = sha256Of(content)
  const root = mkdtempSync(join(tmpdir(), 'inferd-power-'))
  const report = { cuts: 0, whole: 0, resumed: 0 }
  let [folder, next] = [join(root, '0'), 1]
  mkdirSync(folder)
  try {
    while (report.cuts < cuts) {
      const target = join(folder, 'model.bin')
      const disk = new LossyDisk(folder, Math.ceil(random() * stepLimit), random)
      for (const name of readdirSync(folder)) disk.adopt(join(folder, name), readFileSync(join(folder, name)))
      const before = hub.requests.length
      const isWhole = await succeeds(
        downloader({ disk }).download(planned(), target, {
          signal: AbortSignal.timeout(60_000),
          onProgress: () => undefined,
        }),
      )
      const after = join(root, String(next++))
      mkdirSync(after)
      disk.survivors(after)
      rmSync(folder, { recursive: true })
      folder = after
      if (!isWhole) report.cuts++
      const survivor = join(folder, 'model.bin')
      const isThere = existsSync(survivor)
      if (isThere && sha256Of(readFileSync(survivor)) !== sum)
        throw new Error(`after cut ${report.cuts} a wrong file is in place`)
      if (isWhole && !isThere) throw new Error(`after cut ${report.cuts} a whole file is lost`)
      const asked = hub.requests
        .slice(before)
        .filter(({ at, headers }) => at === 'store' && headers.has('range')).length
      if (isWhole && asked < Math.ceil(fileBytes / testChunkBytes)) report.resumed++
      if (!isWhole) continue
      report.whole++
      rmSync(folder, { recursive: true })
      mkdirSync(folder)
    }
    return report
  } finally {
    rmSync(root, { recursive: true })
  }
}

/** Returns whether the work succeeded. Throws for any failure except the loss of power. */
async function succeeds(work: Promise<unknown>): Promise<boolean> {
  try {
    await work
    return true
  } catch (error) {
    if (error instanceof PowerLost) return false
    throw error
  }
}
