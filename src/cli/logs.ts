import type { Command } from 'commander'
import { checkFolderIsOpen } from '../db/folder-owner.ts'
import type { TailLine } from '../telemetry/log-line.ts'
import { followLog } from './control-client.ts'
import { secondOf } from './format.ts'
import { CommandError, type Io, jsonLine, tryLaterExitCode, UsageError, wantsJson } from './io.ts'
import { configOf, newCommand, wholeNumberOption } from './options.ts'
import { noServer } from './running-servers.ts'

const usualLines = 100
/** Most lines shown, which is the number that the server keeps. */
const maximumLines = 500

export function logsCommand(io: Io): Command {
  const command = newCommand('logs', 'show the latest lines of the running server’s log')
    .option('-f, --follow', 'go on with new lines until Ctrl-C')
    .option('-n, --lines <n>', `how many lines, at most ${maximumLines}`, String(usualLines))
  return command.action(async () => {
    const count = wholeNumberOption(command, 'lines') ?? Number.NaN
    if (!(count >= 0 && count <= maximumLines))
      throw new UsageError(`--lines must be a whole number from 0 to ${maximumLines}`)
    const { data: dataDir } = configOf(command, io)
    checkFolderIsOpen(dataDir)
    const isFollowing = command.getOptionValue('follow') === true
    const lines = await followLog(dataDir, { count, isFollowing })
    if (lines === undefined) throw await noServer(dataDir)
    const isJson = wantsJson(command)
    for await (const line of lines) io.out(isJson ? jsonLine(line) : textOf(line))
    if (isFollowing) throw new CommandError(`the server of ${dataDir} has ended`, { exitCode: tryLaterExitCode })
  })
}

function textOf({ atMs, level, text }: TailLine): string {
  return `${secondOf(atMs)} ${level.padEnd(5)} ${text}\n`
}
