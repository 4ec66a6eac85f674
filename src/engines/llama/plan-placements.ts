/**
 * Placements of a model in this machine's memory, the best first: on one device; its layers over as few devices as hold
 * it; the projector on the CPU; the experts of the first blocks on the CPU too; some layers on the CPU; all on the CPU.
 * A placement is listed only if no better one fits an empty machine, because a model that other models keep out waits
 * for its room.
 */
import type { MemoryBytes, Placement, PoolId } from '../../core/memory.ts'
import { type LlamaPlacement, onCpu } from './placement.ts'

/**
 * Tokens computed at once if memory does not suffice for more. Some models must read a picture at once, which takes 256
 * tokens or more.
 */
const smallMicroBatchTokens = { text: 128, pictures: 256 }

interface PlannedDevice {
  readonly index: number
  readonly pool: PoolId
}

interface PlacementQuestion {
  readonly devices: readonly PlannedDevice[]
  /** Bytes of each pool that models may use while nothing is loaded. */
  readonly budgetBytes: MemoryBytes
  readonly layers: number
  readonly hasExperts: boolean
  /** True if the model has a projector. It lies on the first device, and leaves it before any weights do. */
  readonly hasProjector: boolean
  /** Placement without a device. */
  readonly onHost: Pick<Tried, 'load' | 'needBytes'>
  /** Returns the need of a placement by a dry run. */
  readonly tryOut: (placement: LlamaPlacement) => Promise<MemoryBytes>
}

interface Named {
  readonly key: string
  readonly label: string
  readonly load: LlamaPlacement
}

type Tried = Named & { readonly needBytes: MemoryBytes }

export async function planPlacements(question: PlacementQuestion): Promise<readonly Placement[]> {
  const onHost = { key: 'cpu', label: 'CPU', ...question.onHost }
  const best =
    (await onDevices(question, false)) ??
    (question.hasProjector ? await onDevices(question, true) : undefined) ??
    (await withExpertsOnCpu(question)) ??
    (await withFewerLayers(question)) ??
    []
  const smaller = await Promise.all(best.map((placement) => tried(question, withLess(placement, question))))
  const groups = [best, smaller, [onHost]].filter((group) => group.length > 0)
  return groups.flatMap((group, rank) =>
    group.map((placement) => ({ ...placement, load: { ...placement.load }, rank })),
  )
}

/** Returns placements of the whole model on any device with room, or over the fewest devices that hold it. */
async function onDevices(
  question: PlacementQuestion,
  isProjectorOnCpu: boolean,
): Promise<readonly Tried[] | undefined> {
  const spreadOver = (devices: readonly PlannedDevice[]) => {
    const named = spread(devices, question)
    return tried(question, isProjectorOnCpu ? withProjectorOnCpu(named) : named)
  }
  const all = await Promise.all(question.devices.map((device) => spreadOver([device])))
  const fitting = all.filter(({ needBytes }) => fits(needBytes, question))
  if (fitting.length > 0) return fitting
  const devices = largestFirst(question)
  for (let count = 2; count <= devices.length; count++) {
    const placement = await spreadOver(devices.slice(0, count))
    if (fits(placement.needBytes, question)) return [placement]
  }
  return undefined
}

function withExpertsOnCpu(question: PlacementQuestion): Promise<readonly Tried[] | undefined> {
  const { layers, hasExperts, devices } = question
  if (!hasExperts || devices.length === 0) return Promise.resolve(undefined)
  const whole = partly(question)
  const words = `of ${layers} expert blocks on the CPU`
  return leastFitting(question, layers, (blocks) =>
    changed(whole, `cpu-experts-${blocks}`, `${blocks} ${words}`, { cpuExpertBlocks: blocks }),
  )
}

function withFewerLayers(question: PlacementQuestion): Promise<readonly Tried[] | undefined> {
  const { layers, devices } = question
  if (devices.length === 0) return Promise.resolve(undefined)
  const whole = partly(question)
  const words = `of ${layers} layers on the CPU`
  return leastFitting(question, layers, (onHost) =>
    // The output counts as one more layer, and leaves the device last.
    changed(whole, `cpu-layers-${onHost}`, `${onHost} ${words}`, { gpuLayers: layers + 1 - onHost }),
  )
}

/**
 * Returns the placement with the smallest number from 1 to `most` that fits. Each needs less device memory than the one
 * before.
 */
async function leastFitting(
  question: PlacementQuestion,
  most: number,
  name: (count: number) => Named,
): Promise<readonly Tried[] | undefined> {
  let least: Tried | undefined
  let low = 1
  let high = most
  while (low <= high) {
    const middle = Math.floor((low + high) / 2)
    const placement = await tried(question, name(middle))
    if (fits(placement.needBytes, question)) {
      least = placement
      high = middle - 1
    } else low = middle + 1
  }
  return least && [least]
}

function spread(devices: readonly PlannedDevice[], { budgetBytes }: PlacementQuestion): Named {
  const label = devices.map(({ index }) => `gpu${index}`).join(' + ')
  // Set explicitly rather than by free memory, because the load must repeat the dry run.
  const deviceShares = devices.map(({ pool }) => (budgetBytes[pool] ?? 0) / 2 ** 30)
  const load = { ...onCpu, devices: devices.map(({ index }) => index), deviceShares, gpuLayers: -1, isMapped: false }
  return { key: label.replaceAll(' ', ''), label, load }
}

/** Returns the placement over all devices, after the projector has left them and before parts of the model do. */
function partly(question: PlacementQuestion): Named {
  const named = spread(largestFirst(question), question)
  return question.hasProjector ? withProjectorOnCpu(named) : named
}

function withProjectorOnCpu(placement: Named): Named {
  return changed(placement, 'cpu-projector', 'projector on the CPU', { isProjectorOnCpu: true })
}

/** Returns a placement that needs less device memory: first pictures become slower, then all prompts. */
function withLess(placement: Named, { hasProjector }: PlacementQuestion): Named {
  if (hasProjector && !placement.load.isProjectorOnCpu) return withProjectorOnCpu(placement)
  const microBatchTokens = smallMicroBatchTokens[hasProjector ? 'pictures' : 'text']
  return changed(placement, 'small-batches', 'small batches', { microBatchTokens })
}

/** Returns the changed placement, with the change named in its key and its label. */
function changed({ key, label, load }: Named, change: string, words: string, more: Partial<LlamaPlacement>): Named {
  return { key: `${key}/${change}`, label: `${label}, ${words}`, load: { ...load, ...more } }
}

async function tried({ tryOut }: PlacementQuestion, named: Named): Promise<Tried> {
  return { ...named, needBytes: await tryOut(named.load) }
}

function fits(needBytes: MemoryBytes, { budgetBytes }: PlacementQuestion): boolean {
  return Object.entries(needBytes).every(([pool, bytes]) => bytes <= (budgetBytes[pool] ?? 0))
}

function largestFirst({ devices, budgetBytes }: PlacementQuestion): readonly PlannedDevice[] {
  return devices.toSorted((left, right) => (budgetBytes[right.pool] ?? 0) - (budgetBytes[left.pool] ?? 0))
}
