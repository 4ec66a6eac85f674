import type { Command } from 'commander'
import type { ServerStatus } from '../control.ts'
import { checkFolderIsOpen } from '../db/folder-owner.ts'
import { askServer } from './control-client.ts'
import { type Io, printJson } from './io.ts'
import { configOf, newCommand, wantsJson } from './options.ts'
import { formatTable } from './table.ts'

type Engine = ServerStatus['engines'][number]

export function psCommand(io: Io): Command {
  const command = newCommand('ps', 'show the running server and its loaded models')
  return command.action(async () => {
    const { data: dataDir } = configOf(command, io)
    checkFolderIsOpen(dataDir)
    const answer = await askServer(dataDir)
    const status = answer && { ...answer, engines: answer.engines.map(withoutUnknownSize) }
    if (wantsJson(command)) {
      printJson(io, status === undefined ? { running: false, engines: [] } : { running: true, ...status })
      return
    }
    if (status === undefined) {
      io.out(`No server is running on ${dataDir}; 'inferd serve' starts one.\n`)
      return
    }
    io.out(`inferd ${status.version}, pid ${status.pid}, ${status.url}\n`)
    if (status.engines.length === 0) io.out('No model is loaded; a request or --preload loads one.\n')
    else
      io.out(
        formatTable(
          ['MODEL', 'STATE', 'PID', 'DEVICE', 'RUNNING', 'WAITING', 'RESTARTS', 'LAST FAILURE'],
          rows(status),
        ),
      )
  })
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
