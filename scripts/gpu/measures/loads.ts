import { measureLoad, phasesText, unload } from '../../bench/loads/measure-loads.ts'
import { ask } from '../../smoke/client.ts'
import { clientOf, type Kit, startServer } from '../kit.ts'
import type { Note, Scope } from '../parts.ts'

const model = 'bench/loaded'

/** Notes how long the first load of the model takes, a second one, and one of the smallest model, by phases. */
export async function measureLoads(kit: Kit, note: Note, scope: Scope): Promise<void> {
  const server = await startServer(kit, scope, ['--device', kit.device], (_, run) =>
    run(['import', kit.model, '--id', model]),
  )
  note('server', `listens after ${server.startMs.toFixed(0)} ms`)
  for (const [name, id] of [
    ['first load', model],
    ['second load', model],
    ['first load, starter', 'inferd/starter-chat'],
    ['second load, starter', 'inferd/starter-chat'],
  ] as const) {
    const { answerMs, phases } = await measureLoad(kit.inferd, server, id, () => ask(clientOf(server), id))
    note(name, `answered after ${answerMs.toFixed(0)} ms; ${phasesText(phases)}`)
    await unload(kit.inferd, server, id)
  }
}
