import type { Command } from 'commander'
import { sizeText } from '../../core/quantities.ts'
import { checkFolderOwner } from '../../db/folder-owner.ts'
import { type Io, printAnswer } from '../io.ts'
import { configOf, newCommand } from '../options.ts'
import { relinkLibraries } from './nvidia-libraries.ts'

export function removeCommand(io: Io): Command {
  const command = newCommand('remove', "remove NVIDIA's libraries from the data folder")
  return command.action(async () => {
    const config = configOf(command, io)
    checkFolderOwner(config.data)
    const { ownLibraries, removeOwnLibraries } = await import('../../nvidia/own-libraries.ts')
    const { names, fileBytes, partBytes } = ownLibraries(config.data)
    await removeOwnLibraries(config.data)
    relinkLibraries(config, io)
    const freedBytes = fileBytes + partBytes
    printAnswer(command, io, { libraries: names, freedBytes }, () =>
      freedBytes === 0
        ? "The data folder holds none of NVIDIA's libraries.\n"
        : `${names.length} libraries removed, ${sizeText(freedBytes)} freed. Models that are loaded keep them until they end.\n`,
    )
  })
}
