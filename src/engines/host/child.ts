/** The engine child's main program: loads the model that the parent names and serves it over IPC. */

import type { EngineKind } from '../../core/model.ts'
import { engineTable } from '../engine-table.ts'
import type { FromEngine, ToEngine } from '../protocol/messages.ts'
import { EngineMessages, requireVersion } from './engine-messages.ts'

function send(message: FromEngine): void {
  process.send?.(message)
}

/** Serves until the parent sends `stop` or ends. */
export function runEngineChild(): void {
  if (process.send === undefined) {
    process.stderr.write('inferd engine is started by the server, not by hand\n')
    process.exit(2)
  }
  // Ctrl-C in a terminal reaches the whole process group; the parent decides when its children end.
  process.on('SIGINT', () => undefined)
  process.on('disconnect', () => process.exit(0))
  const engine = new EngineMessages({
    loader,
    send,
    end: (how) => process.exit(how === 'stopped' ? 0 : 1),
  })
  process.on('message', (message: ToEngine) => {
    const answer = questionIn(message)
    if (answer === undefined) engine.receive(message as Exclude<ToEngine, Question>)
    answer?.then(
      (told) => {
        send(told)
        if (message.type !== 'estimate') process.exit(0)
        // A load may come next: imports the engine's code while the server decides.
        void loader(message.kind)
      },
      (error: unknown) => engine.fail(error),
    )
  })
}

async function loader(kind: EngineKind) {
  const { runs } = engineTable[kind]
  return runs === 'in-server' ? undefined : runs.inChild()
}

type Question = Extract<ToEngine, { type: 'estimate' | 'devices' | 'probe' }>

/** Returns the answer to a message that is a question instead of a load. Undefined for other messages. */
function questionIn(message: ToEngine): Promise<FromEngine> | undefined {
  if (message.type === 'estimate') return estimate(message)
  if (message.type === 'probe') return probe(message)
  return message.type === 'devices' ? devices(message) : undefined
}

async function estimate(message: Extract<Question, { type: 'estimate' }>): Promise<FromEngine> {
  requireVersion(message.version)
  const { placements } = engineTable[message.kind]
  const estimatePlacements = 'inChild' in placements ? await placements.inChild() : placements.inServer
  const remarks: string[] = []
  const onRemark = message.wantsRemarks ? (remark: string) => void remarks.push(remark) : undefined
  const found = await estimatePlacements({ ...message, settings: message.settings as never, onRemark })
  return { type: 'placements', placements: found, remarks }
}

async function devices({ version, kind, runtime }: Extract<Question, { type: 'devices' }>): Promise<FromEngine> {
  requireVersion(version)
  const readDevices = await engineTable[kind].devices?.()
  return { type: 'devices', devices: (await readDevices?.(runtime)) ?? [] }
}

async function probe(message: Extract<Question, { type: 'probe' }>): Promise<FromEngine> {
  const { version, kind, runtime, candidate, deviceIndex } = message
  requireVersion(version)
  const probeBackend = await engineTable[kind].probe?.()
  if (probeBackend === undefined) throw new Error(`backends of '${kind}' are not probed: this is a bug`)
  return { type: 'probed', devices: await probeBackend(runtime, candidate, deviceIndex) }
}
