import type { Command } from 'commander'
import { sizeText } from '../core/quantities.ts'
import { checkFolderIsOpen } from '../db/folder-owner.ts'
import { formatTable } from './format.ts'
import { type Io, printAnswer } from './io.ts'
import { configOf, newCommand } from './options.ts'

export function duCommand(io: Io): Command {
  const command = newCommand('du', 'show what models take of the disk')
  return command.action(async () => {
    const { data: dataDir } = configOf(command, io)
    checkFolderIsOpen(dataDir)
    const { diskUsage } = await import('../store/cleanup/disk-usage.ts')
    const { ownLibraries } = await import('../nvidia/own-libraries.ts')
    const { kernelCacheBytes } = await import('../nvidia/leftovers.ts')
    const { fileBytes, partBytes } = ownLibraries(dataDir)
    const nvidia = { modelId: "(NVIDIA's libraries)", fileBytes, sharedBytes: 0, partBytes, unlistedBytes: 0 }
    const cacheBytes = kernelCacheBytes(dataDir)
    const kernels = { ...nvidia, modelId: '(compiled CUDA kernels)', fileBytes: cacheBytes, partBytes: 0 }
    const others = [nvidia, kernels].filter((each) => each.fileBytes + each.partBytes > 0)
    const usage = [...diskUsage(dataDir), ...others].sort((left, right) => right.fileBytes - left.fileBytes)
    printAnswer(command, io, usage, () => {
      if (usage.length === 0) return 'No model has files in the data folder.\n'
      const shown = (bytes: number) => (bytes === 0 ? '-' : sizeText(bytes))
      return formatTable(usage, {
        MODEL: ({ modelId }) => modelId,
        FILES: ({ fileBytes }) => shown(fileBytes),
        'SHARED BY LINKS': ({ sharedBytes }) => shown(sharedBytes),
        'UNFINISHED PULLS': ({ partBytes }) => shown(partBytes),
        UNLISTED: ({ unlistedBytes }) => shown(unlistedBytes),
      })
    })
  })
}
