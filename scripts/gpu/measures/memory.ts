import { describeModel } from '../../shared/inferd-server.ts'
import { childrenOf } from '../../shared/process-usage.ts'
import { ask } from '../../smoke/client.ts'
import { clientOf, type EngineRow, engineRows, type Kit, startServer } from '../kit.ts'
import type { Note, Scope } from '../parts.ts'

const first = 'bench/first'
const second = 'bench/second'

/** Notes the model's estimated memory, and that of its process. */
export async function measureMemory(kit: Kit, note: Note, scope: Scope): Promise<void> {
  const server = await startServer(kit, scope, ['--device', kit.device], (data) =>
    describeModel(data, first, kit.model),
  )
  await ask(clientOf(server), first)
  const loaded = async () => (await engineRows(kit, server)).find(({ model }) => model === first)
  let engine = await loaded()
  // The server samples processes every few seconds.
  for (let asked = 0; asked < 40 && engine?.usedBytes === undefined; asked++) {
    await Bun.sleep(250)
    engine = await loaded()
  }
  if (engine === undefined) throw new Error('inferd ps does not list the model')
  note('memory', memoryText(engine))
}

/** Kills the engine, and notes the time until the next answer. */
export async function killAndReload(kit: Kit, note: Note, scope: Scope): Promise<void> {
  const server = await startServer(kit, scope, ['--device', kit.device])
  const client = clientOf(server)
  const before = await ask(client)
  const [engine] = childrenOf(server.pid)
  if (engine === undefined) throw new Error('no engine runs')
  process.kill(engine, 'SIGKILL')
  const killedMs = performance.now()
  // A request to the dying engine may fail with an error.
  const after = await ask(client).catch(() => ask(client))
  note('answer after a kill', `${(performance.now() - killedMs).toFixed(0)} ms`)
  note('same answer', before === after ? 'yes' : `before: ${before}; after: ${after}`, before !== after)
}

/** Serves two models with memory for one, and notes that each makes room for the other. */
export async function evict(kit: Kit, note: Note, scope: Scope): Promise<void> {
  const alone = await startServer(kit, scope, ['--device', kit.device], (data) => describeModel(data, first, kit.model))
  await ask(clientOf(alone), first)
  const need = (await engineRows(kit, alone))[0]?.estimatedBytes
  await alone.stop()
  if (need === undefined) throw new Error('inferd ps tells no estimate')
  const limit = `${Math.ceil((need * 1.5) / 1e6)}MB`
  const server = await startServer(kit, scope, ['--device', kit.device, '--memory-limit', limit], async (data) => {
    for (const id of [first, second]) await describeModel(data, id, kit.model)
  })
  const client = clientOf(server)
  for (const model of [first, second, first]) {
    const startMs = performance.now()
    await ask(client, model)
    const loaded = (await engineRows(kit, server)).filter(({ state }) => state === 'ready')
    const names = loaded.map((engine) => engine.model).join(' and ') || 'none'
    note(
      `${model} asked`,
      `answered after ${(performance.now() - startMs).toFixed(0)} ms; loaded: ${names}`,
      loaded.length > 1,
    )
  }
}

function memoryText({ model, device, estimatedBytes, usedBytes }: EngineRow): string {
  const size = (bytes: number | undefined) => (bytes === undefined ? 'not told' : `${(bytes / 1e9).toFixed(2)} GB`)
  const ratio =
    estimatedBytes === undefined || usedBytes === undefined ? '' : `, ${(usedBytes / estimatedBytes).toFixed(2)} of it`
  return `${model} on ${device ?? 'unknown'}: estimate ${size(estimatedBytes)}, used ${size(usedBytes)}${ratio}`
}
