import { join } from 'node:path'
import type { Command } from 'commander'
import { dollars } from '../core/money.ts'
import { callOperation, operationTarget } from './call-operation.ts'
import { count } from './format.ts'
import { CommandError, type Io, printAnswer } from './io.ts'
import { newCommand } from './options.ts'

const withoutFfmpeg =
  'There is no ffmpeg: m4a, mp4, aac and amr recordings are refused, and others take four times as long to decode.\n'

export function doctorCommand(io: Io): Command {
  const command = newCommand('doctor', 'check that the database is whole, its money adds up, and ffmpeg is there')
  return command.action(async () => {
    const target = operationTarget(command, io)
    const report = await callOperation(target, 'books-check', {})
    const { accounts, ledgerRows, balancesNanoUsd, openHolds, heldNanoUsd } = report
    // Asked after the database was read: a server that was there then is there now, or has given back what it held.
    const isServerRunning = openHolds > 0 && (await isLocked(target.dataDir))
    const left = `a server that died left ${count(openHolds, 'hold')} of ${dollars(heldNanoUsd)}; the next start gives them back`
    const problems = openHolds === 0 || isServerRunning ? report.problems : [...report.problems, left]
    const { findFfmpeg } = await import('../audio/ffmpeg/find-ffmpeg.ts')
    const ffmpeg = findFfmpeg(io.environment.PATH)
    printAnswer(command, io, { ...report, problems, ffmpeg: ffmpeg ?? null }, () => {
      const totals = `${count(accounts, 'account')} with ${dollars(balancesNanoUsd)}, ${count(ledgerRows, 'row')} in the ledger\n`
      return [
        // In a damaged file nothing is counted.
        accounts > 0 || problems.length === 0 ? totals : '',
        isServerRunning ? `${count(openHolds, 'hold')} of running requests, ${dollars(heldNanoUsd)}\n` : '',
        ffmpeg === undefined ? withoutFfmpeg : `ffmpeg decodes recordings: ${ffmpeg}\n`,
        ...(problems.length === 0 ? ['No problems.\n'] : problems.map((problem) => `PROBLEM  ${problem}\n`)),
      ].join('')
    })
    if (problems.length > 0)
      throw new CommandError(`${count(problems.length, 'problem')} found; see "Doctor" in docs/operations.md`)
  })
}

async function isLocked(dataDir: string): Promise<boolean> {
  const { takeServerLock } = await import('../db/server-lock.ts')
  const lock = takeServerLock(join(dataDir, 'server.lock'))
  lock?.release()
  return lock === undefined
}
