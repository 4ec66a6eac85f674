import { existsSync } from 'node:fs'
import type { Command } from 'commander'
import { sizeText } from '../../core/quantities.ts'
import { checkFolderOwner } from '../../db/folder-owner.ts'
import { CommandError, type Io, printAnswer } from '../io.ts'
import { configOf, newCommand } from '../options.ts'
import { stoppable } from '../stoppable.ts'
import { probeAgain, relinkLibraries, waitingHint } from './nvidia-libraries.ts'

export function removeCommand(io: Io): Command {
  const command = newCommand('remove', "remove NVIDIA's libraries from the data folder")
  return command.action(async () => {
    const config = configOf(command, io)
    checkFolderOwner(config.data)
    const { ownLibraries, removeOwnLibraries } = await import('../../nvidia/own-libraries.ts')
    const { whileLocked } = await import('../../nvidia/fetch/lock-libraries.ts')
    if (!existsSync(config.data)) throw new CommandError(`there is no data folder at ${config.data}`)
    const { names, fileBytes, partBytes } = await stoppable('stopped; run it again', (signal) =>
      whileLocked(config.data, { signal, onWait: waitingHint(io) }, async () => {
        const own = ownLibraries(config.data)
        await removeOwnLibraries(config.data)
        return own
      }),
    )
    relinkLibraries(config, io)
    const freedBytes = fileBytes + partBytes
    const hint = freedBytes === 0 ? undefined : await probeAgain(command, io)
    printAnswer(command, io, { libraries: names, freedBytes }, () =>
      freedBytes === 0
        ? "The data folder holds none of NVIDIA's libraries.\n"
        : [
            `${names.length} libraries removed, ${sizeText(freedBytes)} freed. Models that are loaded keep them until they end.`,
            ...(hint === undefined ? [] : [hint]),
            '',
          ].join('\n'),
    )
  })
}
