/** Cards that count as failing after a backend ended an engine, and the remaining ones. Pure. */
import type { BackendVerdict, FailedDevice } from '../protocol/backend.ts'
import type { Reason } from './reasons.ts'

/** Lines in which ggml and ONNX Runtime name the card of an error, by its index among the visible cards. */
const named = [/\bcurrent device: (\d+)\b/, /\bCUDA failure \d+:.*\bGPU=(\d+)\b/]

/** Returns the card that the last lines name if it held the model; otherwise all cards that held the model. */
export function blamedDevices(used: readonly number[], lines: readonly string[]): readonly number[] {
  for (const line of lines.toReversed()) {
    for (const pattern of named) {
      const index = pattern.exec(line)?.[1]
      if (index !== undefined && used.includes(Number(index))) return [Number(index)]
    }
  }
  return used
}

/**
 * Returns the verdict without the blamed cards, or the same object if they already count as failing. Undefined if no
 * card is left or none is to blame.
 */
export function withoutDevices(
  verdict: BackendVerdict,
  blamed: readonly number[],
  { reason, nextStep }: Reason,
): BackendVerdict | undefined {
  if (verdict.state !== 'computes' || blamed.length === 0) return undefined
  const devices = verdict.devices.map((device, at) => ({ ...device, index: device.index ?? at }))
  const left = devices.filter(({ index }) => !blamed.includes(index))
  if (left.length === 0) return undefined
  const { failing = [] } = verdict
  const added = blamed
    .filter((index) => !failing.some((each) => each.index === index))
    .map((index): FailedDevice => ({ index, reason, nextStep }))
  return added.length === 0 ? verdict : { ...verdict, devices: left, failing: [...failing, ...added] }
}

/** Returns the indices of the devices that failed. */
export function failingIndices(verdict: BackendVerdict): readonly number[] {
  return verdict.state === 'computes' ? (verdict.failing ?? []).map(({ index }) => index) : []
}
