import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Command } from 'commander'
import { checkFolderOwner } from '../../db/folder-owner.ts'
import { createDataFolder } from '../../db/private-file.ts'
import { CommandError, type Io, printAnswer } from '../io.ts'
import { configOf, newCommand } from '../options.ts'
import { pullFailure } from '../pull/failure.ts'
import { stoppable } from '../stoppable.ts'
import { hasCuda, relinkLibraries, tellServer, waitingHint, withoutCuda } from './nvidia-libraries.ts'

export function importCommand(io: Io): Command {
  const command = newCommand('import', "take NVIDIA's libraries from folders and wheels of this disk").argument(
    '<place...>',
    "a folder with libraries or wheels, such as /usr/local/cuda, or one of NVIDIA's wheels (.whl)",
  )
  return command.action(async (places: string[]) => {
    const config = configOf(command, io)
    checkFolderOwner(config.data)
    const found = places.map((place) => ({ place: resolve(place), found: statSync(place, { throwIfNoEntry: false }) }))
    const absent = found.find((each) => each.found === undefined)
    if (absent !== undefined)
      throw new CommandError(`there is no ${absent.place}; name a folder or a wheel of NVIDIA's`)
    if (!hasCuda()) io.error(`${withoutCuda}\n`)
    createDataFolder(config.data)
    const { keepFolder, keepWheel, KeepError, requireRoom } = await import('../../nvidia/fetch/keep-libraries.ts')
    const { whileLocked } = await import('../../nvidia/fetch/lock-libraries.ts')
    const names: string[] = []
    try {
      await stoppable('stopped', async (signal) => {
        await whileLocked(config.data, { signal, onWait: waitingHint(io) }, async () => {
          await requireRoom(
            found.map(({ place }) => place),
            { dataDir: config.data },
          )
          for (const { place, found: entry } of found) {
            const keep = entry?.isDirectory() === true ? keepFolder : keepWheel
            names.push(...(await keep(place, { dataDir: config.data, signal })))
          }
        })
      })
    } catch (error) {
      throw error instanceof KeepError ? new CommandError(error.message) : pullFailure(error)
    }
    const { missing } = relinkLibraries(config, io)
    const lacking = missing['llama-cuda-13']
    const hint = await tellServer(command, io)
    printAnswer(command, io, { libraries: names, missing }, () => {
      const rest = lacking.length === 0 ? hint : `Still missing: ${lacking.join(', ')}.`
      return `${names.join(', ')} are here. ${rest}\n`
    })
  })
}
