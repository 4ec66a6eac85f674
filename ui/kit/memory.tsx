/** Memory to scale, with all kinds of segments. */
import type { DeviceOnPage } from '../../src/wire/pages/live.ts'
import { MachineBars } from '../parts/memory/machine-bars.tsx'
import type { MachineSeen } from '../parts/memory/use-machine.ts'
import { StateWord } from '../parts/state-word.tsx'
import { Section } from './section.tsx'

const gigabyte = 1e9

function part(model: string, weights: number, cache: number, isMeasured = true) {
  const bytes = { weights_bytes: weights * gigabyte, cache_bytes: cache * gigabyte, other_bytes: gigabyte }
  return { model, ...bytes, is_measured: isMeasured }
}

const device: DeviceOnPage = {
  ...{ id: 'gpu0', name: 'A card', kind: 'nvidia', state: 'ok', sample_at: null },
  ...{ load_percent: 87, temperature_c: 61, power_w: 412 },
  ...{ total_bytes: 96 * gigabyte, free_bytes: 40 * gigabyte, reserved_bytes: 6 * gigabyte, other_bytes: 5 * gigabyte },
  models: [part('openai/gpt-oss-20b', 12, 6), part('Qwen/Qwen3.8-27B', 19, 4), part('BAAI/bge-m3', 8, 0, false)],
}
const host = {
  ...{ id: 'host', total_bytes: 64 * gigabyte, free_bytes: 50 * gigabyte, reserved_bytes: 0 },
  ...{ other_bytes: 12 * gigabyte, server_bytes: 0.4 * gigabyte },
  models: [part('inferd/starter-chat', 0.1, 0.1), part('inferd/starter-stt', 0.1, 0)],
}
const seen: MachineSeen = {
  devices: [device],
  machine: { at: '2026-01-01T00:00:00.000Z', devices: [device], memory: host, disk: null },
}

export function MemorySection() {
  return (
    <Section name="Memory">
      <MachineBars {...seen} engines={new Map()} moreOf={() => <StateWord tone="ok" word="ready" />} />
    </Section>
  )
}
