import { join } from 'node:path'
import { openCandidate } from '../../../src/engines/llama/open-runtime.ts'
import { loadOptions, onAllDevices } from '../../../src/engines/llama/placement.ts'
import { runtimeLayout } from '../../../src/engines/runtime/runtime-paths.ts'
import { measureLoad, phasesText, unload } from '../../bench/loads/measure-loads.ts'
import { libraryName } from '../../cuda/places.ts'
import { ask } from '../../smoke/client.ts'
import { clientOf, cudaFolder, type Kit, loadedLibraries, startServer } from '../kit.ts'
import type { Note, Scope } from '../parts.ts'

const model = 'bench/loaded'

/** Notes the times of the model's first and second load, and of a load of the smallest model, by phase. */
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

/** Notes how long llama.cpp alone takes to read the weights in both ways: into staging buffers, and mapped. */
export async function measureLoadModes(kit: Kit, note: Note, scope: Scope): Promise<void> {
  const server = await startServer(kit, scope, ['--device', 'cpu'])
  await ask(clientOf(server))
  const folder = loadedLibraries(server)
  if (folder === undefined) throw new Error("inferd's engine has loaded no llama.cpp")
  const isOnCpu = kit.device === 'cpu'
  const addon = openCandidate(pathsBeside(folder), {
    ...{ id: kit.device, kind: 'llama', backend: isOnCpu ? 'cpu' : 'cuda', label: kit.device },
    ...(!isOnCpu && { library: join(cudaFolder(folder), libraryName) }),
  })
  const placement = onAllDevices([...addon.devices().keys()])
  for (const mode of ['buffered', 'mmap', 'buffered', 'mmap'] as const) {
    const sinceMs = performance.now()
    const model = await addon.loadModel({ ...loadOptions(kit.model, placement), loadMode: mode })
    note(mode, `${((performance.now() - sinceMs) / 1000).toFixed(2)} s`)
    model.close()
  }
}

/** Returns the paths of the addon and the libraries, from the folder of those that an engine has loaded. */
function pathsBeside(folder: string) {
  const core = join(folder, 'llama-addon.node')
  const root = core.slice(0, -runtimeLayout.llamaCore.length)
  return {
    nodeLlamaCpp: join(root, runtimeLayout.nodeLlamaCpp),
    llamaCore: core,
    addons: join(root, runtimeLayout.addons),
  }
}
