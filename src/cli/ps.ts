import type { Command } from 'commander'
import type { ServerStatus } from '../control.ts'
import { checkFolderIsOpen } from '../db/folder-owner.ts'
import { askServer } from './control-client.ts'
import { formatTable } from './format.ts'
import type { Io } from './io.ts'
import { configOf, newCommand } from './options.ts'
import { printAnswer } from './print-answer.ts'

type Engine = ServerStatus['engines'][number]

export function psCommand(io: Io): Command {
  const command = newCommand('ps', 'show the running server and its loaded models')
  return command.action(async () => {
    const { data: dataDir } = configOf(command, io)
    checkFolderIsOpen(dataDir)
    const answer = await askServer(dataDir)
    const status = answer && { ...answer, engines: answer.engines.map(withoutUnknownSize) }
    const shown = status === undefined ? { running: false, engines: [] } : { running: true, ...status }
    printAnswer(command, io, shown, () => statusText(status, dataDir))
  })
}

function statusText(status: ServerStatus | undefined, dataDir: string): string {
  if (status === undefined) return `No server is running on ${dataDir}; 'inferd serve' starts one.\n`
  const head = ['MODEL', 'STATE', 'PID', 'DEVICE', 'RUNNING', 'WAITING', 'RESTARTS', 'LAST FAILURE']
  const models =
    status.engines.length === 0
      ? 'No model is loaded; a request or --preload loads one.\n'
      : formatTable(head, rows(status))
  return `inferd ${status.version}, pid ${status.pid}, ${status.url}\n${models}`
}

/** llama.cpp writes "?B" for a number of parameters that is none of those it has a name for. */
function withoutUnknownSize(engine: Engine): Engine {
  const { info } = engine
  return info === undefined
    ? engine
    : { ...engine, info: { ...info, description: info.description.replace(' ?B', '') } }
}

function rows({ engines }: ServerStatus): string[][] {
  return engines.map((engine: Engine) => [
    engine.modelId,
    engine.state,
    engine.pid === undefined ? '-' : String(engine.pid),
    [engine.info?.device ?? '-', engine.info?.provider ?? ''].join(' ').trim(),
    engine.info === undefined || engine.info.parallel === 0
      ? String(engine.running)
      : `${engine.running}/${engine.info.parallel}`,
    String(engine.waiting),
    String(engine.restarts),
    (engine.failedLoad ?? engine.lastExit ?? '-').replaceAll('\n', ' '),
  ])
}
