/** Stand-ins for files that are not here yet: of full size, with holes instead of content. */
import { mkdir, mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { PlannedFile } from '../plan.ts'

interface StandInFiles extends AsyncDisposable {
  /** Paths by role: the first file of each role. */
  readonly filePaths: Readonly<Record<string, string>>
  /** Paths of the files that only GPU loads use. Undefined if there are none. */
  readonly gpuFilePaths: Readonly<Record<string, string>> | undefined
}

/**
 * Creates stand-ins for files. `beginnings` are first bytes by file name. Archives and files of unknown length are left
 * out.
 */
export async function makeStandIns(
  files: readonly PlannedFile[],
  beginnings: ReadonlyMap<string, Uint8Array>,
): Promise<StandInFiles> {
  const folder = await mkdtemp(join(tmpdir(), 'inferd-plan-'))
  const remove = () => rm(folder, { recursive: true, force: true })
  const filePaths: Record<string, string> = {}
  const gpuFilePaths: Record<string, string> = {}
  try {
    for (const { role, name, bytes, unpack, isForGpu } of files) {
      if (bytes === undefined || unpack === true) continue
      const path = join(folder, name)
      await mkdir(dirname(path), { recursive: true })
      await makeStandIn(path, bytes, beginnings.get(name))
      const paths = isForGpu === true ? gpuFilePaths : filePaths
      paths[role] ??= path
    }
  } catch (error) {
    await remove()
    throw error
  }
  const hasGpuFiles = Object.keys(gpuFilePaths).length > 0
  return { filePaths, gpuFilePaths: hasGpuFiles ? gpuFilePaths : undefined, [Symbol.asyncDispose]: remove }
}

async function makeStandIn(path: string, bytes: number, beginning: Uint8Array = new Uint8Array()): Promise<void> {
  await using file = await open(path, 'w', 0o600)
  await file.write(beginning, 0, beginning.length, 0)
  await file.truncate(bytes)
}
