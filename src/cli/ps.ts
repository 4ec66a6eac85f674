import type { Command } from 'commander'
import type { ServerStatus } from '../control.ts'
import { checkFolderIsOpen } from '../db/folder-owner.ts'
import { askServer } from './control-client.ts'
import { formatTable } from './format.ts'
import { type Io, printAnswer } from './io.ts'
import { configOf, newCommand } from './options.ts'

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
  const { engines, version, pid, url } = status
  const models = engines.length === 0 ? 'No model is loaded; a request or --preload loads one.\n' : engineTable(engines)
  return `inferd ${version}, pid ${pid}, ${url}\n${models}`
}

/** llama.cpp writes "?B" for a number of parameters that is none of those it has a name for. */
function withoutUnknownSize(engine: Engine): Engine {
  const { info } = engine
  return info === undefined
    ? engine
    : { ...engine, info: { ...info, description: info.description.replace(' ?B', '') } }
}

function engineTable(engines: readonly Engine[]): string {
  return formatTable(engines, {
    MODEL: ({ modelId }) => modelId,
    STATE: ({ state }) => state,
    PID: ({ pid }) => String(pid ?? '-'),
    DEVICE: ({ info }) => [info?.device ?? '-', info?.provider ?? ''].join(' ').trim(),
    RUNNING: ({ running, info }) => (info?.parallel ? `${running}/${info.parallel}` : String(running)),
    WAITING: ({ waiting }) => String(waiting),
    RESTARTS: ({ restarts }) => String(restarts),
    'LAST FAILURE': ({ failedLoad, lastExit }) => (failedLoad ?? lastExit ?? '-').replaceAll('\n', ' '),
  })
}
